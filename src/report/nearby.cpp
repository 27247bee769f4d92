#include "report/nearby.h"

#include "report/figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace spillway {

namespace {

using Json = nlohmann::ordered_json;

std::string relation(const NearRun& near) {
    const MeasuredRun& run = near.run;
    switch (near.nearness) {
    case Nearness::this_case: return "this model and engine on this machine";
    case Nearness::this_machine: return fmt::format("this machine and engine, {}", run.model);
    case Nearness::this_model: return fmt::format("this model on {}, {}", run.machine, run.engine);
    }
    return {};
}

// What sets the row apart, as far as it states it: its depth, batch and the like, without what every row states.
std::string conditions(const MeasuredRun& run) {
    std::string text = run.quant;
    for (const std::string& setting : run.settings) {
        if (setting.starts_with("quantization.") || setting.starts_with("scenario.context=")) continue;
        const std::size_t dot = setting.find('.');
        text += "; " + (setting.starts_with("scenario.") ? setting.substr(dot + 1) : setting);
    }
    return text;
}

std::string speeds(const Outcome& measured) {
    std::string text;
    if (measured.decode) text = speed(measured.decode->value) + " tok/s decode";
    if (measured.prefill) text += (text.empty() ? "" : ", ") + speed(measured.prefill->value) + " tok/s prefill";
    return text;
}

Json speed_json(const std::optional<PerSecond>& speed) { return speed ? Json(speed->value) : Json(); }
Json text_json(const std::string& text) { return text.empty() ? Json() : Json(text); }

} // namespace

std::vector<std::string> nearby_texts(const std::vector<NearRun>& near) {
    if (near.empty())
        return {"nothing like this case is among the published runs: neither this model, nor this engine on this "
                "machine"};
    std::vector<std::string> texts;
    for (const NearRun& n : near) {
        const std::string date = n.run.date.empty() ? "" : n.run.date + "; ";
        texts.push_back(
            fmt::format("{}: {} ({}; {}{})", relation(n), speeds(n.run.measured), conditions(n.run), date, n.source));
    }
    return texts;
}

Json nearby_json(const std::vector<NearRun>& near) {
    Json list = Json::array();
    for (const NearRun& n : near) {
        list.push_back({{"nearness", EnumNames<Nearness>::names[static_cast<std::size_t>(n.nearness)]},
                        {"id", n.run.id},
                        {"model", n.run.model},
                        {"machine", n.run.machine},
                        {"quant", n.run.quant},
                        {"engine", n.run.engine},
                        {"build", text_json(n.run.build)},
                        {"settings", n.run.settings},
                        {"decode_tokens_per_second", speed_json(n.run.measured.decode)},
                        {"prefill_tokens_per_second", speed_json(n.run.measured.prefill)},
                        {"date", text_json(n.run.date)},
                        {"source", n.source}});
    }
    return list;
}

} // namespace spillway
