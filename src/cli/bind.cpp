#include "cli/bind.h"

// Costs 5 s to compile wherever it is included: no other file does (tests/check_includes.sh).
#include <CLI/CLI.hpp>

#include <cstdio>
#include <sstream>
#include <type_traits>
#include <utility>

namespace spillway {

namespace {

template <class T>
struct NumberOf {
    using type = T;
};
template <class T>
struct NumberOf<std::optional<T>> {
    using type = T;
};

template <class Target>
void add_range(CLI::Option& option, const FlagRange& range) {
    using Number = typename NumberOf<Target>::type;
    if constexpr (std::is_arithmetic_v<Number> && !std::same_as<Number, bool>)
        option.check(CLI::Range(static_cast<Number>(range.lowest), static_cast<Number>(range.highest)));
}

void apply(const FlagRules& rules, CLI::Option& option) {
    if (rules.required) option.required();
    if (!rules.choices.empty()) option.check(CLI::IsMember(rules.choices));
    if (rules.one_per_use) option.expected(1)->take_all()->allow_extra_args(false);
    if (rules.shows_default) option.capture_default_str();
}

void add_flag(const Flag& flag, CLI::App& app) {
    std::visit(
        [&]<class Target>(Target* target) {
            if constexpr (std::same_as<Target, bool>) {
                app.add_flag(flag.names, *target, flag.help);
            } else {
                CLI::Option& option = *app.add_option(flag.names, *target, flag.help);
                if (!flag.type_name.empty()) option.type_name(flag.type_name);
                if (flag.rules.range) add_range<Target>(option, *flag.rules.range);
                apply(flag.rules, option);
            }
        },
        flag.target);
}

GivenFlags given_flags(const CLI::App& app) {
    GivenFlags names;
    for (const CLI::Option* option : app.get_options()) {
        if (option->count() > 0) names.insert(option->get_name());
    }
    return names;
}

// `chosen` is set where the command line names the command.
void add_command(const Command& command, CLI::App& parent, std::function<int()>& chosen) {
    CLI::App& app = *parent.add_subcommand(command.name, command.help);
    for (const Flag& flag : command.flags) add_flag(flag, app);
    if (!command.footer.empty()) app.footer(command.footer);
    if (!command.subcommands.empty()) {
        app.require_subcommand(1);
        for (const Command& below : command.subcommands) add_command(below, app, chosen);
        return;
    }
    app.callback([&command, &app, &chosen] {
        if (command.given != nullptr) *command.given = given_flags(app);
        chosen = command.run;
    });
}

std::function<int()> print(std::string text) {
    return [text = std::move(text)] {
        std::fwrite(text.data(), 1, text.size(), stdout);
        return 0;
    };
}

} // namespace

std::function<int()> parse_command_line(const std::vector<Command>& commands, int argc, char** argv) {
    CLI::App app("spillway: does this model fit this machine, and how fast does it run? Every figure is an estimate.",
                 "spillway");
    app.set_version_flag("--version", "spillway " SPILLWAY_VERSION);
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    std::function<int()> chosen;
    for (const Command& command : commands) add_command(command, app, chosen);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) throw UsageError(error.what());
        std::ostringstream text; // --help, --version
        app.exit(error, text);
        return print(text.str());
    }
    return chosen;
}

} // namespace spillway
