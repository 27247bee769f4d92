// Traces with one row per selected expert: route_trace v1 and plain layer,expert rows.
#include "simulate/readers.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

namespace spillway {

namespace {

// One selected expert with the token and layer that it belongs to.
struct Row {
    std::uint64_t turn = 0, token = 0;
    RoutePhase phase = RoutePhase::decode;
    std::uint32_t layer = 0, expert = 0;
};

bool same_route(const Row& a, const Row& b) {
    return a.turn == b.turn && a.phase == b.phase && a.token == b.token && a.layer == b.layer;
}

// Gathers rows to routes. A reader says what a line holds; rows of one route follow one another.
class RowReader : public RouteSource {
public:
    RowReader(std::unique_ptr<TextReader> text, const TraceRequest& request) : text_(std::move(text)) {
        info_.name = text_->shown();
        info_.experts = request.experts;
        info_.top_k = request.top_k;
    }

    bool next(Route& route) override {
        experts_.clear();
        if (pending_) start(*std::exchange(pending_, std::nullopt));
        std::string_view line;
        while (text_->line(line)) {
            const std::optional<Row> row = row_of(line);
            if (!row) continue;
            if (!experts_.empty() && !same_route(*row, first_)) {
                pending_ = row;
                return publish(route);
            }
            if (experts_.empty()) {
                start(*row);
            } else if (!add_distinct(experts_, row->expert)) {
                malformed_.add(line_problem(*text_, line, "distinct experts", repeated()));
            }
        }
        return !experts_.empty() && publish(route);
    }

protected:
    // Nothing for a comment, a header, or a malformed line, which it has counted.
    virtual std::optional<Row> row_of(std::string_view line) = 0;
    virtual std::string repeated() const { return "an expert twice in one token and layer"; }

    // Drawn routing says so in a comment, and stays labelled.
    void read_label(std::string_view comment) {
        if (comment.starts_with("# synthetic")) info_.synthetic = true;
    }

    std::optional<Row> refuse(std::string_view line, std::string expected, std::string_view message) {
        malformed_.add(line_problem(*text_, line, std::move(expected), message));
        return std::nullopt;
    }
    bool in_range(std::uint64_t layer, std::uint64_t expert) const {
        return layer < kMaxTraceLayers && expert < info_.experts.value_or(kMaxTraceExperts);
    }
    std::string range() const {
        return fmt::format("layer below {}, expert below {}", kMaxTraceLayers,
                           info_.experts.value_or(kMaxTraceExperts));
    }

private:
    void start(const Row& row) {
        first_ = row;
        experts_.push_back(row.expert);
    }
    bool publish(Route& route) {
        route = {first_.turn, first_.phase, first_.token, first_.layer, experts_};
        return true;
    }

    std::unique_ptr<TextReader> text_;
    Row first_;
    std::optional<Row> pending_;
    std::vector<std::uint32_t> experts_;
};

// Value of " key=" in a comment, up to the next blank.
std::string_view comment_value(std::string_view comment, std::string_view key) {
    const std::size_t at = comment.find(key);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = comment.substr(at + key.size());
    return rest.substr(0, rest.find_first_of(" \t"));
}

class RouteTraceReader final : public RowReader {
public:
    RouteTraceReader(std::unique_ptr<TextReader> text, const TraceRequest& request)
        : RowReader(std::move(text), request) {
        info_.format = "route_trace v1";
        use_columns("turn,phase,step,layer,slot,expert");
    }

protected:
    std::optional<Row> row_of(std::string_view line) override {
        if (line.empty()) return std::nullopt;
        if (line.front() == '#') {
            use_comment(line);
            return std::nullopt;
        }
        if (line.starts_with("turn,")) {
            if (!use_columns(line))
                return refuse(line, "turn,phase,step,layer,slot,expert", "the header lacks a column");
            return std::nullopt;
        }
        std::array<std::uint64_t, kColumns> values{};
        if (!numbers(line, values))
            return refuse(line, "whole numbers in turn,phase,step,layer,expert", "not a row of this trace");
        const auto [turn, phase, step, layer, expert] = values;
        if (phase > 1) return refuse(line, "phase 0 (prefill) or 1 (decode)", "unknown phase");
        if (!in_range(layer, expert)) return refuse(line, range(), "out of range");
        return Row{turn, step, phase == 0 ? RoutePhase::prefill : RoutePhase::decode, static_cast<std::uint32_t>(layer),
                   static_cast<std::uint32_t>(expert)};
    }

private:
    static constexpr std::size_t kColumns = 5;
    static constexpr std::array<std::string_view, kColumns> kNames = {"turn", "phase", "step", "layer", "expert"};

    bool use_columns(std::string_view header) {
        std::array<std::optional<std::size_t>, kColumns> found{};
        std::size_t count = 0;
        for (std::size_t from = 0; from <= header.size(); ++count) {
            const std::size_t comma = std::min(header.find(',', from), header.size());
            const std::string_view name = trimmed(header.substr(from, comma - from));
            for (std::size_t i = 0; i < kColumns; ++i) {
                if (name == kNames[i]) found[i] = count;
            }
            from = comma + 1;
        }
        wanted_.assign(count, kColumns);
        for (std::size_t i = 0; i < kColumns; ++i) {
            if (!found[i]) return false;
            wanted_[*found[i]] = i;
        }
        return true;
    }

    bool numbers(std::string_view line, std::array<std::uint64_t, kColumns>& values) const {
        std::size_t from = 0, missing = kColumns;
        for (std::size_t column = 0; column < wanted_.size() && missing > 0 && from <= line.size(); ++column) {
            const std::size_t comma = std::min(line.find(',', from), line.size());
            if (wanted_[column] < kColumns) {
                if (!parse_count(line.substr(from, comma - from), values[wanted_[column]])) return false;
                --missing;
            }
            from = comma + 1;
        }
        return missing == 0;
    }

    void use_comment(std::string_view comment) {
        read_label(comment);
        std::uint64_t value = 0, layer = 0;
        if (const auto model = comment_value(comment, " model="); !model.empty()) {
            info_.model = std::string(model.substr(model.find_last_of('/') + 1));
        }
        if (parse_count(comment_value(comment, " n_expert="), value) && value > 0 && value <= kMaxTraceExperts) {
            info_.experts = static_cast<std::uint32_t>(value);
        }
        if (parse_count(comment_value(comment, " n_expert_used="), value) && value > 0 && value <= kMaxTraceExperts) {
            info_.top_k = static_cast<std::uint32_t>(value);
        }
        if (!parse_count(comment_value(comment, " layer="), layer) || layer >= kMaxTraceLayers) return;
        if (!parse_count(comment_value(comment, " expert_bytes="), value)) return;
        if (info_.expert_bytes.size() <= layer) info_.expert_bytes.resize(layer + 1, 0);
        info_.expert_bytes[layer] = value;
    }

    std::vector<std::size_t> wanted_; // per column of the file, the entry of kNames, or kColumns
};

class PlainReader final : public RowReader {
public:
    PlainReader(std::unique_ptr<TextReader> text, const TraceRequest& request) : RowReader(std::move(text), request) {
        info_.format = "layer,expert rows";
    }

protected:
    std::optional<Row> row_of(std::string_view line) override {
        if (line.empty()) return std::nullopt;
        if (line.front() == '#') {
            read_label(line);
            return std::nullopt;
        }
        const std::size_t comma = line.find(',');
        std::uint64_t layer = 0, expert = 0;
        if (trimmed(line.substr(0, comma)) == "layer") return std::nullopt;
        if (comma == std::string_view::npos || !parse_count(line.substr(0, comma), layer) ||
            !parse_count(line.substr(comma + 1), expert)) {
            return refuse(line, "layer,expert", "not a row of this trace");
        }
        if (!in_range(layer, expert)) return refuse(line, range(), "out of range");
        // The token goes on while the layer rises. A route that has its top_k experts is complete, which is all there
        // is to tell the tokens of a single layer apart.
        const bool full = info_.top_k && rows_in_route_ >= *info_.top_k;
        const bool first = rows_in_route_ == 0;
        if (!first && (layer < last_layer_ || (layer == last_layer_ && full))) ++token_;
        rows_in_route_ = layer != last_layer_ || full ? 1 : rows_in_route_ + 1;
        last_layer_ = layer;
        return Row{0, token_, RoutePhase::decode, static_cast<std::uint32_t>(layer),
                   static_cast<std::uint32_t>(expert)};
    }
    std::string repeated() const override {
        return "an expert twice in one token and layer; a file with one layer needs --top-k";
    }

private:
    std::uint64_t token_ = 0, last_layer_ = 0, rows_in_route_ = 0;
};

} // namespace

std::unique_ptr<RouteSource> read_route_trace(std::unique_ptr<TextReader> text, const TraceRequest& request) {
    return std::make_unique<RouteTraceReader>(std::move(text), request);
}

std::unique_ptr<RouteSource> read_plain_csv(std::unique_ptr<TextReader> text, const TraceRequest& request) {
    return std::make_unique<PlainReader>(std::move(text), request);
}

} // namespace spillway
