#include "engine/chunk_sums.h"

#include <array>
#include <cmath>

namespace spillway {

namespace {

constexpr double kSame = 1e-12;
constexpr std::int64_t kShortRun = 8; // shorter runs are added one by one

std::optional<Seconds> plus(std::optional<Seconds> sum, std::optional<Seconds> time, double times) {
    return sum && time ? std::optional(*sum + times * *time) : std::nullopt;
}

double known(std::optional<Seconds> time) { return time ? time->value : 0.0; }

bool near(double a, double b) { return std::abs(a - b) <= kSame * (std::abs(a) + std::abs(b)); }

// A run of chunks from `first` to `last`, both within it.
struct Run {
    std::int64_t first = 0, last = 0;
    ChunkTime at_first, at_last;

    std::int64_t count() const { return last - first + 1; }
};

class Adder {
public:
    Adder(const ChunkPrice& price, const ChunkRow& row, PromptSums& sums) : price_(price), row_(row), sums_(sums) {}

    ChunkTime at(std::int64_t i) const { return price_.time(row_.before + static_cast<double>(i) * row_.tokens); }

    void add(const Run& run) {
        if (run.count() <= kShortRun) {
            for (std::int64_t i = run.first; i <= run.last; ++i) sums_.add(at(i));
        } else if (is_linear(run)) {
            const double half = static_cast<double>(run.count()) / 2.0;
            sums_.add(run.at_first, half);
            sums_.add(run.at_last, half);
        } else {
            const std::int64_t middle = run.first + run.count() / 2;
            add({run.first, middle - 1, run.at_first, at(middle - 1)});
            add({middle, run.last, at(middle), run.at_last});
        }
    }

private:
    // Between two kinks, judged at three places inside that no symmetric pair of kinks can deceive.
    bool is_linear(const Run& run) const {
        for (const double share : std::array<double, 3>{0.23, 0.5, 0.71}) {
            const auto steps = static_cast<std::int64_t>(share * static_cast<double>(run.count()));
            const double t = static_cast<double>(steps) / static_cast<double>(run.count() - 1);
            const ChunkTime here = at(run.first + steps);
            const auto between = [t](std::optional<Seconds> a, std::optional<Seconds> b) {
                return known(a) + t * (known(b) - known(a));
            };
            if (!near(known(here.total), between(run.at_first.total, run.at_last.total))) return false;
            if (!near(known(here.compute), between(run.at_first.compute, run.at_last.compute))) return false;
        }
        return true;
    }

    const ChunkPrice& price_;
    const ChunkRow& row_;
    PromptSums& sums_;
};

} // namespace

void PromptSums::add(const ChunkTime& time, double times) {
    total = plus(total, time.total, times);
    read = plus(read, time.read, times);
    compute += times * Seconds(known(time.compute));
    link += times * Seconds(known(time.link));
    storage += times * Seconds(known(time.read));
}

void add_chunks(const ChunkPrice& price, const ChunkRow& row, PromptSums& sums) {
    Adder adder(price, row, sums);
    const std::int64_t listed = std::min(row.count, kChunksListed);
    for (std::int64_t i = 0; i < listed; ++i) sums.add(adder.at(i));
    if (listed < row.count) adder.add({listed, row.count - 1, adder.at(listed), adder.at(row.count - 1)});
}

} // namespace spillway
