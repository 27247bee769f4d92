// A strict parser of the XML that a JUnit file needs: declaration, elements, attributes, text, references. Anything
// that is not well-formed, or that JUnit files have no use for, is an error.
#pragma once

#include <cctype>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace spillway::xml {

struct Element {
    std::string name, text;
    std::map<std::string, std::string> attributes;
    std::vector<Element> children;
};

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    // Throws std::runtime_error with what is wrong and where.
    Element document() {
        expect("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        space();
        Element root = element();
        space();
        if (at_ != text_.size()) fail("something after the root");
        return root;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error(what + " at byte " + std::to_string(at_));
    }
    bool starts(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
    void expect(std::string_view word) {
        if (!starts(word)) fail("expected " + std::string(word));
        at_ += word.size();
    }
    void space() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    }
    std::string name() {
        const std::size_t start = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '-'))
            ++at_;
        if (start == at_) fail("expected a name");
        return std::string(text_.substr(start, at_ - start));
    }

    // One character of text or of an attribute, references resolved.
    std::string character() {
        const auto c = static_cast<unsigned char>(text_[at_]);
        if (c == '&') {
            static const std::map<std::string, std::string, std::less<>> known = {
                {"amp", "&"},  {"lt", "<"},  {"gt", ">"},   {"quot", "\""},
                {"apos", "'"}, {"#9", "\t"}, {"#10", "\n"}, {"#13", "\r"}};
            const std::size_t end = text_.find(';', at_);
            if (end == std::string_view::npos) fail("a reference without end");
            const auto found = known.find(text_.substr(at_ + 1, end - at_ - 1));
            if (found == known.end()) fail("an unknown reference");
            at_ = end + 1;
            return found->second;
        }
        if (c < 0x20 && c != '\n' && c != '\t' && c != '\r') fail("a control character");
        const std::size_t length = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
        if (length == 0 || at_ + length > text_.size()) fail("not UTF-8");
        for (std::size_t i = 1; i < length; ++i) {
            if ((static_cast<unsigned char>(text_[at_ + i]) & 0xC0U) != 0x80U) fail("not UTF-8");
        }
        const std::string whole(text_.substr(at_, length));
        if (whole == "\xEF\xBF\xBE" || whole == "\xEF\xBF\xBF") fail("a character that XML forbids");
        if (length == 3 && c == 0xED && static_cast<unsigned char>(whole[1]) >= 0xA0) fail("a surrogate");
        at_ += length;
        return whole;
    }

    void attribute(Element& element) {
        const std::string key = name();
        expect("=\"");
        std::string value;
        while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] == '<' || text_[at_] == '\n') fail("a raw '<' or line break in an attribute");
            value += character();
        }
        expect("\"");
        if (!element.attributes.emplace(key, value).second) fail("an attribute given twice");
    }

    Element element() {
        Element result;
        expect("<");
        result.name = name();
        for (;;) {
            const std::size_t before = at_;
            space();
            if (starts("/>") || starts(">")) break;
            if (at_ == before) fail("attributes need a space between");
            attribute(result);
        }
        if (starts("/>")) {
            at_ += 2;
            return result;
        }
        expect(">");
        while (!starts("</")) {
            if (at_ >= text_.size()) fail("no end of " + result.name);
            if (text_[at_] == '<')
                result.children.push_back(element());
            else if (starts("]]>"))
                fail("']]>' in text");
            else
                result.text += character();
        }
        expect("</" + result.name + ">");
        return result;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

inline Element parse(std::string_view text) { return Parser(text).document(); }

} // namespace spillway::xml
