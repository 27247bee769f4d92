#include "simulate/storage_queue.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace spillway {

namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kRemembered = 4096; // request counts whose time from idle is kept

} // namespace

StorageUse& StorageUse::operator+=(const StorageUse& other) {
    busy += other.busy;
    outstanding += other.outstanding;
    in_flight += other.in_flight;
    bytes += other.bytes;
    return *this;
}

StorageQueue::StorageQueue(double lanes, RateAt rate)
    : lanes_(std::max(1.0, lanes)), most_(static_cast<std::uint64_t>(std::ceil(lanes_))), rate_(std::move(rate)) {}

double StorageQueue::cached_rate(double piece, std::uint64_t in_flight) {
    std::vector<double>& known = rates_[piece];
    if (known.size() <= in_flight) known.resize(in_flight + 1, 0.0);
    double& rate = known[in_flight];
    if (rate == 0.0) rate = rate_(piece, std::min(lanes_, static_cast<double>(in_flight)));
    return rate;
}

// Full batches one after the other, then what is left: equal requests that start together end together.
const StorageQueue::Idle& StorageQueue::from_idle(std::uint64_t requests, double piece) {
    std::vector<Idle>& known = idle_[piece];
    const std::uint64_t place = std::min(requests, kRemembered);
    if (known.size() <= place) known.resize(place + 1);
    Idle& entry = known[place];
    if (entry.seconds > 0.0 && place < kRemembered) return entry;
    entry = {};
    for (std::uint64_t left = requests; left > 0;) {
        const std::uint64_t batch = std::min(left, most_);
        const double bytes = static_cast<double>(batch) * piece;
        const double seconds = bytes / cached_rate(piece, batch);
        entry.seconds += seconds;
        entry.use += {seconds, seconds * static_cast<double>(left), seconds * static_cast<double>(batch), bytes};
        left -= batch;
    }
    return entry;
}

double StorageQueue::alone(std::uint64_t requests, double piece) {
    return requests == 0 ? 0.0 : from_idle(requests, piece).seconds;
}

StorageQueue::Group StorageQueue::submit(double now, std::uint64_t requests, double piece, bool ahead) {
    advance(now);
    const Group group = next_++;
    if (requests == 0) return group;
    (ahead ? ahead_ : urgent_).push_back({group, requests, piece});
    open_[group] = requests;
    outstanding_ += requests;
    return group;
}

void StorageQueue::submit_wasted(double now, std::uint64_t requests, double piece) {
    advance(now);
    if (requests == 0) return;
    ahead_.push_back({0, requests, piece});
    outstanding_ += requests;
}

void StorageQueue::fill_lanes() {
    for (std::deque<Waiting>* queue : {&urgent_, &ahead_}) {
        while (in_flight_ < most_ && !queue->empty()) {
            Waiting& first = queue->front();
            const std::uint64_t taken = std::min(first.requests, most_ - in_flight_);
            batches_.push_back({first.group, taken, first.piece, first.piece});
            in_flight_ += taken;
            first.requests -= taken;
            if (first.requests == 0) queue->pop_front();
        }
    }
}

void StorageQueue::serve(double until) {
    fill_lanes();
    double bytes = 0.0, shortest = kForever;
    for (const Batch& batch : batches_) {
        bytes += static_cast<double>(batch.requests) * batch.piece;
        shortest = std::min(shortest, batch.left);
    }
    const auto in_flight = static_cast<double>(in_flight_);
    const double each = cached_rate(bytes / in_flight, in_flight_) / in_flight;
    const double done_at = clock_ + shortest / each;
    const bool completes = done_at <= until;
    const double seconds = completes ? shortest / each : until - clock_;
    const double read = completes ? shortest : each * seconds;
    use_ += {seconds, seconds * static_cast<double>(outstanding_), seconds * in_flight, read * in_flight};
    clock_ = completes ? done_at : until;
    for (Batch& batch : batches_) {
        batch.left -= read;
        // What a rounding error leaves of a piece is no request.
        if (batch.left > 1e-9 * batch.piece) continue;
        in_flight_ -= batch.requests;
        outstanding_ -= batch.requests;
        const auto open = open_.find(batch.group);
        if (open != open_.end() && (open->second -= batch.requests) == 0) open_.erase(open);
        batch.requests = 0;
    }
    std::erase_if(batches_, [](const Batch& batch) { return batch.requests == 0; });
}

void StorageQueue::advance(double now) {
    while (!idle() && clock_ < now) serve(now);
    clock_ = std::max(clock_, now);
}

void StorageQueue::promote(Group group) {
    const auto found = std::find_if(ahead_.begin(), ahead_.end(), [&](const Waiting& w) { return w.group == group; });
    if (found == ahead_.end()) return;
    urgent_.push_back(*found);
    ahead_.erase(found);
}

double StorageQueue::wait(double now, Group group) {
    advance(now);
    if (!open_.contains(group)) return clock_;
    promote(group);
    // The usual case, a layer's misses and nothing else, is worked out once per number of requests.
    if (batches_.empty() && ahead_.empty() && urgent_.size() == 1 && urgent_.front().group == group) {
        const Waiting only = urgent_.front();
        const Idle& read = from_idle(only.requests, only.piece);
        use_ += read.use;
        clock_ += read.seconds;
        urgent_.clear();
        open_.clear();
        outstanding_ = 0;
        return clock_;
    }
    while (open_.contains(group)) serve(kForever);
    return clock_;
}

} // namespace spillway
