// The drive as a queue: requests of one piece each, served first come first, so many at once as the engine has lanes,
// sharing the rate that the drive reaches at that piece size with that many in flight. What a layer waits for goes
// before what was guessed ahead; requests in flight are never interrupted.
#pragma once

#include "inputs/quantity.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

namespace spillway {

// Realised bytes per second over all reads, at a piece size and a number of reads in flight. The engine's storage_read
// through StepCosts::rate().
using RateAt = std::function<double(double piece, double in_flight)>;

// Sums over the time in which the drive was busy; all in seconds, requests and bytes.
struct StorageUse {
    double busy = 0.0;
    double outstanding = 0.0; // requests waiting or in flight x seconds
    double in_flight = 0.0;   // requests in flight x seconds
    double bytes = 0.0;

    StorageUse& operator+=(const StorageUse& other);
};

class StorageQueue {
public:
    using Group = std::uint64_t;

    // `lanes` at least 1; a fraction of a lane is a request at the rate of so many in flight.
    StorageQueue(double lanes, RateAt rate);

    // So many equal requests at the time `now`, which never goes back; `ahead`: nobody waits for them yet.
    Group submit(double now, std::uint64_t requests, double piece, bool ahead);
    // Requests that nobody will ever wait for.
    void submit_wasted(double now, std::uint64_t requests, double piece);
    // Serves until the group is done, moved to the front if it was guessed ahead; the time when it is, at least `now`.
    double wait(double now, Group group);

    // Time that so many requests take from an idle drive.
    double alone(std::uint64_t requests, double piece);
    // Use up to now, and a way to start anew.
    const StorageUse& use() const { return use_; }
    void forget_use() { use_ = {}; }

private:
    struct Waiting {
        Group group = 0;
        std::uint64_t requests = 0;
        double piece = 0.0;
    };
    struct Batch { // in flight; started together, so done together
        Group group = 0;
        std::uint64_t requests = 0;
        double piece = 0.0;
        double left = 0.0; // bytes per request
    };
    struct Idle { // so many requests from an idle drive
        double seconds = 0.0;
        StorageUse use;
    };

    bool idle() const { return batches_.empty() && urgent_.empty() && ahead_.empty(); }
    const Idle& from_idle(std::uint64_t requests, double piece);
    double cached_rate(double piece, std::uint64_t in_flight);
    void fill_lanes();
    // Serves until the next completion or `until`, whichever is first.
    void serve(double until);
    void advance(double now);
    void promote(Group group);

    double lanes_;
    std::uint64_t most_; // requests in flight
    RateAt rate_;
    std::map<double, std::vector<double>> rates_;
    std::map<double, std::vector<Idle>> idle_;
    std::deque<Waiting> urgent_, ahead_;
    std::vector<Batch> batches_;
    std::map<Group, std::uint64_t> open_; // requests not done, of groups that somebody will wait for
    std::uint64_t in_flight_ = 0, outstanding_ = 0;
    Group next_ = 1; // 0 is waste
    double clock_ = 0.0;
    StorageUse use_;
};

} // namespace spillway
