#include "io/json_builder.h"

namespace spillway {

std::string pointer_step(std::string_view key) {
    std::string step = "/";
    for (const char c : key) {
        if (c == '~')
            step += "~0";
        else if (c == '/')
            step += "~1";
        else
            step += c;
    }
    return step;
}

bool JsonBuilder::key(json::string_t& name) {
    Level& level = levels_.back();
    level.duplicate = level.value.contains(name);
    level.key = std::move(name);
    if (level.duplicate) {
        problems_.push_back(
            {shown_, pointer(), "the key \"" + level.key + "\" twice", "each key once", "is given twice"});
    }
    return true;
}

bool JsonBuilder::parse_error(std::size_t position, const std::string& token,
                              const nlohmann::detail::exception& error) {
    error_ = SyntaxError{position, token, error.what()};
    return false;
}

std::string JsonBuilder::pointer() const {
    std::string text;
    for (const Level& level : levels_) {
        if (level.value.is_array()) {
            text += '/' + std::to_string(level.value.size());
        } else if (!level.key.empty()) {
            text += pointer_step(level.key);
        }
    }
    return text;
}

bool JsonBuilder::add(json value) {
    if (levels_.empty()) {
        root_ = std::move(value);
        return true;
    }
    Level& level = levels_.back();
    if (level.value.is_array()) {
        level.value.push_back(std::move(value));
    } else if (!level.duplicate) {
        level.value.emplace(level.key, std::move(value));
    }
    return true;
}

bool JsonBuilder::open(json value) {
    if (levels_.size() >= static_cast<std::size_t>(kMaxNesting)) {
        problems_.push_back({shown_, "", "more than " + std::to_string(kMaxNesting) + " levels",
                             "fewer levels of objects and lists", "is nested too deep"});
        return false;
    }
    levels_.push_back(Level{std::move(value), {}, false});
    return true;
}

bool JsonBuilder::close() {
    Level done = std::move(levels_.back());
    levels_.pop_back();
    return add(std::move(done.value));
}

} // namespace spillway
