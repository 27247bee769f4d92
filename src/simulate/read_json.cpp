// Traces in JSON: one object per line, or nested arrays of whole numbers.
#include "simulate/readers.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <array>
#include <utility>

namespace spillway {

namespace {

using nlohmann::json;

constexpr std::array<const char*, 6> kExpertKeys = {"experts",    "selected", "selected_experts",
                                                    "expert_ids", "topk_ids", "ids"};

const json* member(const json& object, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (const auto found = object.find(name); found != object.end()) return &*found;
    }
    return nullptr;
}

const json* experts_of(const json& object) {
    for (const char* name : kExpertKeys) {
        if (const auto found = object.find(name); found != object.end() && found->is_array()) return &*found;
    }
    return nullptr;
}

class JsonLinesReader final : public RouteSource {
public:
    JsonLinesReader(std::unique_ptr<TextReader> text, const TraceRequest& request) : text_(std::move(text)) {
        info_.name = text_->shown();
        info_.format = "JSON lines";
        info_.experts = request.experts;
        info_.top_k = request.top_k;
    }

    bool next(Route& route) override {
        std::string_view line;
        while (text_->line(line)) {
            if (trimmed(line).empty()) continue;
            const json object = json::parse(line, nullptr, false);
            const std::string_view wrong = read(object, route);
            if (wrong.empty()) return true;
            malformed_.add(line_problem(*text_, line, R"({"layer":0,"token":0,"experts":[...]})", wrong));
        }
        return false;
    }

private:
    // What is wrong with the object, or nothing.
    std::string_view read(const json& object, Route& route) {
        if (!object.is_object()) return "not a JSON object";
        const json* layer = member(object, {"layer", "layer_id", "layer_idx"});
        const json* token = member(object, {"token", "token_id", "token_idx", "step", "position"});
        const json* turn = member(object, {"turn", "sequence"});
        const json* experts = experts_of(object);
        if (!layer || !layer->is_number_unsigned() || layer->get<std::uint64_t>() >= kMaxTraceLayers)
            return "no usable layer";
        if (token && !token->is_number_unsigned()) return "the token is not a whole number";
        if (turn && !turn->is_number_unsigned()) return "the turn is not a whole number";
        if (!experts || experts->empty()) return "no list of expert ids";
        experts_.clear();
        for (const json& id : *experts) {
            if (!id.is_number_unsigned()) return "an expert id is not a whole number";
            const auto expert = id.get<std::uint64_t>();
            if (expert >= info_.experts.value_or(kMaxTraceExperts)) return "an expert id is out of range";
            if (!add_distinct(experts_, static_cast<std::uint32_t>(expert)))
                return "an expert twice in one token and layer";
        }
        if (!read_phase(object, route.phase)) return "the phase is neither prefill nor decode";
        route.turn = turn ? turn->get<std::uint64_t>() : 0;
        route.token = token ? token->get<std::uint64_t>() : 0;
        route.layer = layer->get<std::uint32_t>();
        route.experts = experts_;
        return {};
    }

    static bool read_phase(const json& object, RoutePhase& phase) {
        phase = RoutePhase::decode;
        const json* value = member(object, {"phase"});
        if (!value || *value == "decode" || *value == 1) return true;
        phase = RoutePhase::prefill;
        return *value == "prefill" || *value == 0;
    }

    std::unique_ptr<TextReader> text_;
    std::vector<std::uint32_t> experts_;
};

// [[[3,17],[5,1]],[[3,4],[9,1]]]: reads brackets and numbers byte by byte, so that a file on one line is no problem.
// Depth 2 counts tokens, depth 3 layers; a fourth level has no meaning.
class JsonArrayReader final : public RouteSource {
public:
    JsonArrayReader(std::unique_ptr<TextReader> text, const TraceRequest& request) : text_(std::move(text)) {
        info_.name = text_->shown();
        info_.format = "JSON arrays";
        info_.experts = request.experts;
        info_.top_k = request.top_k;
    }

    bool next(Route& route) override {
        for (int c = text_->byte(); c >= 0; c = text_->byte()) {
            if (c == '[') open();
            if (c == ']' && close(route)) return true;
            if (c >= '0' && c <= '9') {
                number_ = number_.value_or(0) * 10 + static_cast<std::uint64_t>(c - '0');
                if (*number_ > kMaxTraceExperts) number_ = kMaxTraceExperts;
                continue;
            }
            if (c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t') {
                end_number();
            } else if (c != '[' && c != ']') {
                bad_ = "only whole numbers in three levels of lists belong here";
            }
        }
        if (depth_ != 0 && !ended_) malformed_.add(problem("the file ends inside a list: cut off?"));
        ended_ = true;
        return false;
    }

private:
    void open() {
        if (++depth_ > 3) bad_ = "a fourth level of lists";
        if (depth_ == 2) layer_ = 0;
        if (depth_ == 3) experts_.clear();
    }

    void end_number() {
        if (!number_) return;
        const std::uint64_t expert = *std::exchange(number_, std::nullopt);
        if (depth_ != 3) {
            bad_ = "a number outside the third level of lists";
        } else if (expert >= info_.experts.value_or(kMaxTraceExperts)) {
            bad_ = "an expert id is out of range";
        } else if (!add_distinct(experts_, static_cast<std::uint32_t>(expert))) {
            bad_ = "an expert twice in one token and layer";
        }
    }

    // Whether a route is complete. One with anything wrong in it is dropped.
    bool close(Route& route) {
        end_number();
        const int level = depth_;
        if (depth_ > 0) --depth_;
        if (level == 0) bad_ = "a list ends that did not begin";
        if (level == 2) ++token_;
        const bool whole = level == 3;
        if (bad_ && level <= 3) {
            malformed_.add(problem(*std::exchange(bad_, std::nullopt)));
            if (whole) ++layer_;
            return false;
        }
        if (!whole) return false;
        const std::uint32_t layer = layer_++;
        if (experts_.empty() || layer >= kMaxTraceLayers) {
            malformed_.add(problem(experts_.empty() ? "a layer without experts" : "too many layers"));
            return false;
        }
        route = {0, RoutePhase::decode, token_, layer, experts_};
        return true;
    }

    Problem problem(std::string_view message) const {
        std::string place = fmt::format("line {}, token {}, layer {}", text_->line_number() + 1, token_, layer_);
        return {text_->shown(), std::move(place), "", "tokens x layers x top-k whole numbers", std::string(message)};
    }

    std::unique_ptr<TextReader> text_;
    std::vector<std::uint32_t> experts_;
    std::optional<std::uint64_t> number_;
    std::optional<std::string_view> bad_;
    int depth_ = 0;
    bool ended_ = false;
    std::uint32_t layer_ = 0;
    std::uint64_t token_ = 0;
};

} // namespace

std::unique_ptr<RouteSource> read_jsonl(std::unique_ptr<TextReader> text, const TraceRequest& request) {
    return std::make_unique<JsonLinesReader>(std::move(text), request);
}

std::unique_ptr<RouteSource> read_json_arrays(std::unique_ptr<TextReader> text, const TraceRequest& request) {
    return std::make_unique<JsonArrayReader>(std::move(text), request);
}

} // namespace spillway
