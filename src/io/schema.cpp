#include "io/schema.h"

#include "io/calibration.h"
#include "io/measured.h"
#include "io/read_fields.h"
#include "io/scenario_set.h"
#include "io/write_fields.h"
#include "text/field_value.h"
#include "text/unit_names.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace spillway {

namespace {

constexpr const char* kNumberPattern = "[ \\t]*[+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?[ \\t]*";

// Names of units hold no character that a pattern would read otherwise but the slash, which is plain in JSON Schema.
OrderedJson quantity_schema(Dimension dimension) {
    std::string names;
    for (const unit_names::Unit& unit : unit_names::units(dimension)) {
        names += (names.empty() ? "" : "|") + std::string(unit.name);
    }
    return {{"type", "string"},
            {"pattern", fmt::format("^{}({}){}[ \\t]*$", kNumberPattern, names, unit_names::suffix(dimension))}};
}

OrderedJson number_schema(const FieldKind& kind) {
    OrderedJson number = {{"type", kind.unit == Unit::count ? "integer" : "number"},
                          {"minimum", write_number(kind.info.minimum)}};
    if (kind.info.maximum < std::numeric_limits<double>::max()) number["maximum"] = write_number(kind.info.maximum);
    if (!kind.info.share) return number;
    const OrderedJson percent = {{"type", "string"}, {"pattern", fmt::format("^{}%?[ \\t]*$", kNumberPattern)}};
    return {{"anyOf", OrderedJson::array({number, percent})}};
}

// What does not depend on the type stays out of the templates below: they are compiled for every input struct.
OrderedJson nullable_schema(OrderedJson inner) {
    return {{"anyOf", OrderedJson::array({std::move(inner), {{"type", "null"}}})}};
}

OrderedJson list_schema(OrderedJson items) { return {{"type", "array"}, {"items", std::move(items)}}; }

OrderedJson plain_schema(const char* type) { return {{"type", type}}; }

OrderedJson names_schema(const std::string_view* names, std::size_t count) {
    return {{"enum", std::vector<std::string_view>(names, names + count)}};
}

OrderedJson layers_schema() {
    return {{"type", "string"}, {"pattern", "^ *[0-9]+(-[0-9]+)?( *, *[0-9]+(-[0-9]+)?)* *$"}};
}

OrderedJson referable_schema(OrderedJson whole) {
    return {{"anyOf", OrderedJson::array({{{"type", "string"}, {"minLength", 1}}, std::move(whole)})}};
}

template <class T>
OrderedJson struct_schema();

template <class T>
OrderedJson type_schema(const FieldKind& kind) {
    if constexpr (kIsOptional<T>) {
        return nullable_schema(type_schema<typename T::value_type>(kind));
    } else if constexpr (kIsList<T>) {
        return list_schema(type_schema<typename T::value_type>(kind));
    } else if constexpr (kIsQuantity<T>) {
        return quantity_schema(DimensionOf<T>::value);
    } else if constexpr (Number<T>) {
        return number_schema(kind);
    } else if constexpr (std::same_as<T, bool>) {
        return plain_schema("boolean");
    } else if constexpr (std::is_enum_v<T>) {
        return names_schema(EnumNames<T>::names.data(), EnumNames<T>::names.size());
    } else if constexpr (std::same_as<T, LayerSet>) {
        return layers_schema();
    } else if constexpr (std::same_as<T, std::string>) {
        return plain_schema("string");
    } else if constexpr (kIsReferable<T>) {
        return referable_schema(struct_schema<T>());
    } else {
        return struct_schema<T>();
    }
}

template <class T>
FieldKind innermost_kind(std::string_view name, const FieldInfo& info) {
    if constexpr (kIsOptional<T> || kIsList<T>)
        return innermost_kind<typename T::value_type>(name, info);
    else
        return kind_of<T>(name, info);
}

class PropertyVisitor {
public:
    template <class T>
    void operator()(std::string_view name, T&, const FieldInfo& info) {
        add(name, info, type_schema<T>(innermost_kind<T>(name, info)));
    }

    OrderedJson object_schema() {
        return {{"type", "object"},
                {"properties", std::move(properties_)},
                {"required", required_},
                {"additionalProperties", false}};
    }

private:
    void add(std::string_view name, const FieldInfo& info, const OrderedJson& type) {
        OrderedJson property = {{"description", info.doc}};
        property.update(type);
        properties_[std::string(name)] = std::move(property);
        if (info.presence == Presence::required) required_.emplace_back(name);
    }

    OrderedJson properties_ = OrderedJson::object();
    std::vector<std::string> required_;
};

template <class T>
OrderedJson struct_schema() {
    PropertyVisitor visitor;
    T object{};
    fields(visitor, object);
    return visitor.object_schema();
}

// Files that may build on others: with `key` all fields may be left out.
void relax_with(OrderedJson& schema, std::string_view key) {
    const OrderedJson builds_on = {{"required", {key}}};
    const OrderedJson complete = {{"required", schema.at("required")}};
    schema["required"] = {"format", "kind"};
    schema["anyOf"] = OrderedJson::array({builds_on, complete});
}

OrderedJson schema_named(std::string_view kind, const OrderedJson& file) {
    OrderedJson schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                          {"title", fmt::format("spillway {} file", kind)}};
    schema.update(file);
    schema["properties"]["kind"] = {{"description", "what the file holds"}, {"const", kind}};
    schema["properties"]["format"] = {{"description", "version of the file format"}, {"const", kFormat}};
    return schema;
}

template <class File>
OrderedJson schema_of() {
    OrderedJson schema = schema_named(kind_name(File::kKind), struct_schema<File>());
    if constexpr (File::kKind == FileKind::machine) relax_with(schema, "parts");
    if constexpr (File::kKind == FileKind::scenario) relax_with(schema, "base");
    return schema;
}

} // namespace

nlohmann::ordered_json file_schema(FileKind kind) {
    switch (kind) {
    case FileKind::model: return schema_of<ModelFile>();
    case FileKind::machine: return schema_of<MachineFile>();
    case FileKind::part: return schema_of<PartFile>();
    case FileKind::scenario: return schema_of<ScenarioFile>();
    case FileKind::runtime: return schema_of<RuntimeFile>();
    case FileKind::locality: return schema_of<LocalityFile>();
    case FileKind::formats: return schema_of<FormatsFile>();
    case FileKind::measured: return schema_of<MeasuredFile>();
    }
    return {};
}

nlohmann::ordered_json scenario_set_schema() { return schema_named(kSetKind, struct_schema<ScenarioSetFile>()); }

nlohmann::ordered_json calibration_schema() { return schema_named(kCalibrationKind, struct_schema<CalibrationFile>()); }

} // namespace spillway
