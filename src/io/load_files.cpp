#include "io/load_files.h"

#include "io/load_sources.h"

#include <fmt/format.h>

#include <algorithm>

namespace spillway {

bool check_header(const nlohmann::json& object, FileKind kind, const std::string& shown, Problems& problems) {
    const std::size_t before = problems.size();
    if (!object.is_object()) {
        problems.push_back({shown, "", describe(object),
                            fmt::format("an object with \"kind\": \"{}\"", kind_name(kind)), "must be an object"});
        return false;
    }
    const auto format = object.find("format");
    if (format == object.end()) {
        problems.push_back(
            {shown, "/format", "nothing", fmt::format("{}", kFormat), "is missing: the version of the file format"});
    } else if (*format != kFormat) {
        problems.push_back({shown, "/format", describe(*format), fmt::format("{}", kFormat),
                            "is not a file format that this version knows"});
    }
    const auto found = object.find("kind");
    const std::string expected = fmt::format("\"{}\"", kind_name(kind));
    if (found == object.end()) {
        problems.push_back({shown, "/kind", "nothing", expected, "is missing: what the file holds"});
    } else if (*found != kind_name(kind)) {
        problems.push_back(
            {shown, "/kind", describe(*found), expected, fmt::format("is not a {} file", kind_name(kind))});
    }
    return problems.size() == before;
}

std::optional<FoundFile> find_file(LoadContext& context, FileKind kind, const std::string& name) {
    if (context.provided && context.provided->count(name) > 0) return FoundFile{name, name, name};
    return context.catalogue.find(kind, name, context.problems);
}

std::optional<JsonFile> read_into(LoadContext& context, const FoundFile& found) {
    if (context.provided) {
        if (const auto text = context.provided->find(found.shown); text != context.provided->end()) {
            context.digest = fnv1a(text->second, context.digest);
            auto value = parse_json(text->second, found.shown, context.problems);
            if (!value) return std::nullopt;
            return JsonFile{found.shown, found.path, std::make_shared<const nlohmann::json>(std::move(*value)),
                            text->second};
        }
    }
    std::optional<JsonFile> json = read_json_file(found.path, found.shown, context.problems);
    if (json) context.digest = fnv1a(json->bytes, context.digest);
    return json;
}

std::optional<LoadedModel> load_model(LoadContext& context, const std::string& name) {
    const std::size_t before = context.problems.size();
    const std::optional<FoundFile> found = find_file(context, FileKind::model, name);
    if (!found) return std::nullopt;
    auto loaded = load_file<ModelFile>(context, *found);
    if (!loaded || !loaded->clean) return std::nullopt;
    LoadedModel model{*found, std::move(loaded->file), {}};
    add_sources(context, found->shown, model.file, "model", model.sources);
    if (context.problems.size() > before) return std::nullopt;
    return model;
}

std::optional<FormatsFile> load_formats(LoadContext& context) {
    const std::optional<FoundFile> found = context.catalogue.formats();
    if (!found) return std::nullopt;
    auto loaded = load_file<FormatsFile>(context, *found);
    if (!loaded || !loaded->clean) return std::nullopt;
    return std::move(loaded->file);
}

} // namespace spillway
