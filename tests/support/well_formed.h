// Whether a page is well-formed XML and loads nothing: tags balanced, attributes quoted and given once, known
// references only, ids unique, no scripts, no links out.
#pragma once

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

inline bool has_raw_markup(std::string_view text) {
    if (text.find('<') != std::string_view::npos) return true;
    static const std::vector<std::string_view> known = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (std::size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
        const auto is_here = [&](std::string_view name) { return text.substr(at, name.size()) == name; };
        if (std::none_of(known.begin(), known.end(), is_here)) return true;
    }
    return false;
}

// Attributes of a tag, from behind its name; appends to `ids`. Empty if all is well.
inline std::string attribute_error(std::string rest, std::set<std::string>& ids) {
    static const std::regex attribute("^\\s+([A-Za-z-]+)=\"([^\"<]*)\"");
    std::set<std::string> seen;
    std::smatch match;
    while (std::regex_search(rest, match, attribute)) {
        const std::string name = match[1], value = match[2];
        if (!seen.insert(name).second) return "attribute given twice: " + name;
        if (has_raw_markup(value)) return "markup in an attribute: " + value;
        if (name == "id" && !ids.insert(value).second) return "id given twice: " + value;
        if (name == "src" || name == "href" || name.rfind("on", 0) == 0) return "leads elsewhere: " + name;
        rest = match.suffix();
    }
    return rest.find_first_not_of(" \n") == std::string::npos ? "" : "not an attribute: " + rest;
}

// What is wrong, or empty.
inline std::string page_error(std::string_view page) {
    constexpr std::string_view kDoctype = "<!DOCTYPE html>\n";
    if (page.substr(0, kDoctype.size()) == kDoctype) page.remove_prefix(kDoctype.size());
    for (const char* word : {"<script", "<link", "<img", "<iframe", "url(", "@import"}) {
        if (page.find(word) != std::string_view::npos) return std::string("loads something: ") + word;
    }
    std::vector<std::string> open;
    std::set<std::string> ids;
    while (!page.empty()) {
        const std::size_t tag = page.find('<');
        const std::string_view text = page.substr(0, tag);
        if (has_raw_markup(text)) return "a reference in text: " + std::string(text);
        if (tag == std::string_view::npos) break;
        const std::size_t end = page.find('>', tag);
        if (end == std::string_view::npos) return "a tag without end";
        std::string inside(page.substr(tag + 1, end - tag - 1));
        page.remove_prefix(end + 1);
        const bool closes = inside[0] == '/', empty = inside.back() == '/';
        if (closes) {
            if (open.empty() || "/" + open.back() != inside) return "closed, but not open: " + inside;
            open.pop_back();
            continue;
        }
        if (empty) inside.pop_back();
        const std::string name = inside.substr(0, inside.find_first_of(" \n"));
        const std::string wrong = attribute_error(inside.substr(name.size()), ids);
        if (!wrong.empty()) return wrong + " in <" + inside + ">";
        if (!empty) open.push_back(name);
    }
    return open.empty() ? "" : "not closed: " + open.back();
}

} // namespace spillway
