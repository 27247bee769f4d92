#include "explore/sweep.h"

#include "explore/turned_case.h"
#include "text/paths.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace spillway {

namespace {

constexpr std::uint64_t kBlock = 2048;
// Blocks that may be finished but not yet written: bounds memory when one block is slow.
constexpr std::uint64_t kAhead = 16;

// One thread's own case per base, its axes resolved to fields once.
class Walker {
public:
    explicit Walker(const Grid& grid) : grid_(grid), axis_values_(grid.axes.size()) {}

    void row(std::uint64_t number, const BlockSink& sink, std::string& out) {
        const std::uint64_t points = grid_.points();
        const auto base = static_cast<std::size_t>(number / points);
        if (base != base_) load(base);
        set_axes(number % points);
        const Estimate estimate = changes_sizes_ ? evaluate(case_) : evaluate(case_, sizes_);
        sink.add(GridRow{number, base, axis_values_, case_, estimate}, out);
    }

private:
    void load(std::size_t base) {
        base_ = base;
        case_ = grid_.bases[base];
        fields_.clear();
        changes_sizes_ = false;
        for (const Axis& axis : grid_.axes) {
            fields_.push_back(*number_field(case_, axis.path));
            changes_sizes_ = changes_sizes_ || shapes_sizes(canonical_path(case_, axis.path));
        }
        sizes_ = sizes_of(case_.model, case_.quantization);
        point_ = kNone;
    }

    // Only the axes that moved since the last row are written.
    void set_axes(std::uint64_t point) {
        std::uint64_t rest = point, last = point_;
        for (std::size_t i = grid_.axes.size(); i-- > 0;) {
            const std::uint64_t size = grid_.axes[i].values.size();
            const std::uint64_t at = rest % size, was = last % size;
            if (point_ == kNone || at != was) {
                axis_values_[i] = grid_.axes[i].values[at];
                fields_[i].set(axis_values_[i]);
            }
            rest /= size;
            last /= size;
        }
        point_ = point;
    }

    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    const Grid& grid_;
    std::vector<double> axis_values_;
    Case case_;
    Sizes sizes_; // of the base, where no axis changes them
    bool changes_sizes_ = false;
    std::vector<NumberField> fields_;
    std::size_t base_ = ~std::size_t{0};
    std::uint64_t point_ = kNone;
};

// Blocks finished out of order wait here for their turn.
class Queue {
public:
    void put(std::uint64_t block, std::string&& text) {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return block < next_ + kAhead; });
        ready_.emplace(block, std::move(text));
        full_.notify_one();
    }
    std::string take() {
        std::unique_lock lock(mutex_);
        full_.wait(lock, [&] { return ready_.count(next_) > 0; });
        std::string text = std::move(ready_.begin()->second);
        ready_.erase(ready_.begin());
        ++next_;
        room_.notify_all();
        return text;
    }

private:
    std::mutex mutex_;
    std::condition_variable room_, full_;
    std::map<std::uint64_t, std::string> ready_;
    std::uint64_t next_ = 0;
};

} // namespace

std::uint64_t Grid::points() const {
    std::uint64_t points = 1;
    for (const Axis& axis : axes) points *= axis.values.size();
    return points;
}

std::uint64_t Grid::rows() const { return points() * bases.size(); }

SweepResult sweep(const Grid& grid, const BlockSink& sink, const std::atomic<bool>& stop, unsigned threads) {
    SweepResult result;
    const std::uint64_t rows = grid.rows();
    result.wanted = rows > grid.shard ? (rows - grid.shard + grid.shards - 1) / grid.shards : 0;
    const std::uint64_t blocks = (result.wanted + kBlock - 1) / kBlock;
    Queue queue;
    std::atomic<std::uint64_t> next{0};
    const auto work = [&] {
        Walker walker(grid);
        for (std::uint64_t block; (block = next++) < blocks;) {
            std::string text;
            const std::uint64_t end = std::min(result.wanted, (block + 1) * kBlock);
            // After a stop the blocks that are left are handed over empty: nothing waits for what never comes.
            for (std::uint64_t i = block * kBlock; i < end && !stop; ++i)
                walker.row(i * grid.shards + grid.shard, sink, text);
            queue.put(block, std::move(text));
        }
    };
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> pool;
    for (unsigned i = 0; i < threads; ++i) pool.emplace_back(work);
    bool whole = true;
    for (std::uint64_t block = 0; block < blocks; ++block) {
        std::string text = queue.take();
        // A block that was cut short by the stop is not part of the complete prefix.
        whole = whole && !stop;
        if (!whole) continue;
        sink.done(std::move(text));
        result.evaluated = std::min(result.wanted, (block + 1) * kBlock);
    }
    for (std::thread& thread : pool) thread.join();
    return result;
}

} // namespace spillway
