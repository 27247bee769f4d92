#include "explore/where.h"

#include "text/near.h"

#include <cctype>
#include <charconv>

namespace spillway {

class WhereParser {
public:
    WhereParser(std::string_view text, Where& where) : text_(text), where_(where) {}

    std::string run() {
        where_.root_ = either();
        skip();
        if (problem_.empty() && at_ < text_.size()) fail("\"and\" or \"or\"");
        return problem_;
    }

private:
    using Kind = Where::Kind;
    using Compare = Where::Compare;

    std::size_t add(Where::Node node) {
        where_.nodes_.push_back(std::move(node));
        return where_.nodes_.size() - 1;
    }
    void fail(const std::string& expected) {
        if (!problem_.empty()) return;
        problem_ = "at \"" + std::string(text_.substr(std::min(at_, text_.size()))) + "\": expected " + expected;
    }
    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    std::string_view word() {
        skip();
        const std::size_t start = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.'))
            ++at_;
        return text_.substr(start, at_ - start);
    }
    bool take_word(std::string_view wanted) {
        const std::size_t before = at_;
        if (word() == wanted) return true;
        at_ = before;
        return false;
    }
    bool take(std::string_view symbol) {
        skip();
        if (text_.substr(at_, symbol.size()) != symbol) return false;
        at_ += symbol.size();
        return true;
    }

    std::size_t either() {
        std::size_t left = both();
        while (problem_.empty() && take_word("or"))
            left = add({Kind::either, Compare::equal, nullptr, 0.0, {}, left, both()});
        return left;
    }
    std::size_t both() {
        std::size_t left = one();
        while (problem_.empty() && take_word("and"))
            left = add({Kind::both, Compare::equal, nullptr, 0.0, {}, left, one()});
        return left;
    }
    std::size_t one() {
        if (take_word("not")) return add({Kind::negated, Compare::equal, nullptr, 0.0, {}, one(), 0});
        if (take("(")) {
            const std::size_t inner = either();
            if (!take(")")) fail("\")\"");
            return inner;
        }
        return comparison();
    }
    std::size_t comparison() {
        Where::Node node;
        const std::size_t start = at_;
        const std::string name(word());
        node.figure = find_figure(name);
        if (!node.figure) {
            at_ = start;
            std::vector<std::string> names;
            for (const Figure& figure : all_figures()) names.emplace_back(figure.name);
            const std::string near = did_you_mean(name, names);
            fail("a figure such as decode.tokens_per_second" + (near.empty() ? "" : "; " + near));
            return add(node);
        }
        if (!compare(node)) return add(node);
        value(node);
        return add(node);
    }
    bool compare(Where::Node& node) {
        struct Row {
            std::string_view symbol;
            Compare compare;
        };
        for (const Row row : {Row{"<=", Compare::at_most}, Row{">=", Compare::at_least}, Row{"==", Compare::equal},
                              Row{"!=", Compare::not_equal}, Row{"<", Compare::less}, Row{">", Compare::greater}}) {
            if (!take(row.symbol)) continue;
            node.compare = row.compare;
            return true;
        }
        fail("one of < <= == != >= >");
        return false;
    }
    void value(Where::Node& node) {
        skip();
        if (node.figure->word) {
            node.kind = Kind::word;
            node.word = std::string(word());
            if (node.word.empty() || (node.compare != Compare::equal && node.compare != Compare::not_equal))
                fail("== or != and a word such as holds");
            return;
        }
        node.kind = Kind::number;
        const char* begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), node.number);
        if (error != std::errc{}) return fail("a number in base units (bytes, seconds, tok/s, shares from 0 to 1)");
        at_ += static_cast<std::size_t>(end - begin);
    }

    std::string_view text_;
    Where& where_;
    std::size_t at_ = 0;
    std::string problem_;
};

Where Where::parse(std::string_view text, std::string& problem) {
    Where where;
    problem = WhereParser(text, where).run();
    return where;
}

bool Where::holds(const Estimate& estimate) const { return nodes_.empty() || holds(root_, estimate); }

bool Where::holds(std::size_t index, const Estimate& e) const {
    const Node& node = nodes_[index];
    switch (node.kind) {
    case Kind::always: return true;
    case Kind::both: return holds(node.first, e) && holds(node.second, e);
    case Kind::either: return holds(node.first, e) || holds(node.second, e);
    case Kind::negated: return !holds(node.first, e);
    case Kind::word: return (node.figure->word(e) == node.word) == (node.compare == Compare::equal);
    case Kind::number: break;
    }
    const std::optional<double> value = node.figure->number(e);
    if (!value) return false;
    switch (node.compare) {
    case Compare::less: return *value < node.number;
    case Compare::at_most: return *value <= node.number;
    case Compare::equal: return *value == node.number;
    case Compare::not_equal: return *value != node.number;
    case Compare::at_least: return *value >= node.number;
    case Compare::greater: return *value > node.number;
    }
    return false;
}

} // namespace spillway
