#!/usr/bin/env bash
# Runs one test of the command line: run_cli_test.sh PATH-OF-SPILLWAY FILE.test
#
# A test file is a description, then commands with all that they print and the code they exit with:
#
#     # A misspelt machine is refused with the nearest names.
#     ! mkdir quants                          setup, as many lines as needed
#     $ spillway report -m qwen3-235b -d aple-m4-max
#     --- stderr
#     aple-m4-max: no such machine; did you mean apple-m4-max?
#     --- exit 3
#
# `# ` and empty lines are comments between commands; the first line is one, and says what the test shows.
# `! ` lines that follow one another are one bash script (so here-documents work), run with -eu. A setup that exits
#     with 77 skips the whole test; any other failure fails it.
# `$ ` is a bash command, over several lines where they end in a backslash; `spillway` is the program under test.
#     Several commands share one folder.
# `--- stdout` and `--- stderr` open the exact text expected there; without them nothing may be printed. Text that
#     does not end in a newline is followed by the line `\ no newline at end`.
# `--- stdout contains` and `--- stderr contains` instead: each line below must occur, as a line or a part of one.
# `--- exit N` ends the expectations of a command and may not be left out. Within a section every line is text but
#     these five, so that output may start with `#` or `$`.
#
# Commands run in a fresh, empty folder without standard input, with NO_COLOR=1, COLUMNS=80, HOME in a folder of its
# own and SPILLWAY_DATA naming the source tree. That tree's path is printed as @DATA@, the folder's as @TMP@.
#
# With SPILLWAY_UPDATE_GOLDEN=1 the exact expectations and exit codes in the file are replaced by what came; a new
# test then needs no more than its description and commands. `contains` sections stay and are checked.
# Exit status: 0 as expected, 1 not, 2 the file or the call is malformed, 77 skipped.
set -u

if [ $# -ne 2 ] || [ ! -x "$1" ] || [ ! -f "$2" ]; then
    echo "usage: run_cli_test.sh PATH-OF-SPILLWAY FILE.test" >&2
    exit 2
fi
binary=$(realpath "$1")
test_file=$2
SOURCE_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
update=${SPILLWAY_UPDATE_GOLDEN:-0}
failures=0
commands=0

scratch=$(realpath "$(mktemp -d "${TMPDIR:-/tmp}/spillway-cli.XXXXXX")")
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/run" "$scratch/bin" "$scratch/home"
ln -s "$binary" "$scratch/bin/spillway"
RUN_FOLDER=$scratch/run
export SOURCE_ROOT RUN_FOLDER

unset "${!SPILLWAY_@}"
export NO_COLOR=1 COLUMNS=80 LC_ALL=C.UTF-8 TERM=dumb HOME=$scratch/home
export SPILLWAY_DATA=$SOURCE_ROOT PATH=$scratch/bin:$PATH

marker='^--- ((stdout|stderr)( contains)?|exit [0-9]+)$'

malformed() { # line number, message
    echo "$test_file:$1: $2" >&2
    exit 2
}

emit() { printf '%s\n' "$1" >>"$scratch/rewritten"; }

# Output as a test file writes it: paths named, a missing last newline made visible. stdin: the raw text.
as_written() {
    awk '
        function name(text, path, word,    done, at) {
            while (path != "" && (at = index(text, path)) > 0) {
                done = done substr(text, 1, at - 1) word
                text = substr(text, at + length(path))
            }
            return done text
        }
        { print name(name($0, ENVIRON["RUN_FOLDER"], "@TMP@"), ENVIRON["SOURCE_ROOT"], "@DATA@") }'
}
record() { # stream name: turns raw.NAME into actual.NAME
    as_written <"$scratch/raw.$1" >"$scratch/actual.$1"
    if [ -s "$scratch/raw.$1" ] && [ -n "$(tail -c 1 "$scratch/raw.$1")" ]; then
        echo '\ no newline at end' >>"$scratch/actual.$1"
    fi
}

run_setup() { # line number, script
    local status=0
    (cd "$RUN_FOLDER" && bash -eu -c "$2") >"$scratch/setup" 2>&1 </dev/null || status=$?
    if [ "$status" -eq 77 ]; then
        cat "$scratch/setup"
        echo "$test_file: skipped"
        exit 77
    elif [ "$status" -ne 0 ]; then
        cat "$scratch/setup" >&2
        malformed "$1" "the setup exited with $status"
    fi
}

run_command() { # command; leaves actual.stdout, actual.stderr, actual.exit
    local status=0
    (cd "$RUN_FOLDER" && bash -c "$1") >"$scratch/raw.stdout" 2>"$scratch/raw.stderr" </dev/null || status=$?
    echo "$status" >"$scratch/actual.exit"
    record stdout
    record stderr
    commands=$((commands + 1))
}

# Announces the command once, before the first difference that it shows.
fail() { # line number, command
    [ "$announced" = yes ] || printf '%s:%s: $ %s\n' "$test_file" "$1" "$2"
    announced=yes
    failures=$((failures + 1))
}

check_exact() { # stream, line number, command
    if ! diff -u --label "expected $1" --label "actual $1" "$scratch/expected.$1" "$scratch/actual.$1" \
        >"$scratch/diff"; then
        fail "$2" "$3"
        cat "$scratch/diff"
    fi
}

check_contains() { # stream, line number, command
    local wanted missing=no
    while IFS= read -r wanted; do
        if [ -n "$wanted" ] && ! grep -qF -e "$wanted" "$scratch/actual.$1"; then
            [ $missing = yes ] || fail "$2" "$3"
            missing=yes
            printf 'not in %s: %s\n' "$1" "$wanted"
        fi
    done <"$scratch/contains.$1"
    if [ $missing = yes ]; then
        echo "--- actual $1"
        cat "$scratch/actual.$1"
    fi
}

check_or_rewrite() { # line number, command
    local stream
    announced=no
    for stream in stdout stderr; do
        if [ -f "$scratch/contains.$stream" ]; then
            check_contains "$stream" "$1" "$2"
            { echo "--- $stream contains"; cat "$scratch/contains.$stream"; } >>"$scratch/rewritten"
            continue
        fi
        if grep -qE -e "$marker" "$scratch/actual.$stream"; then
            malformed "$1" "$stream holds a line that this format reads as a heading: use '--- $stream contains'"
        fi
        [ "$update" = 1 ] || check_exact "$stream" "$1" "$2"
        if [ -s "$scratch/actual.$stream" ]; then
            { echo "--- $stream"; cat "$scratch/actual.$stream"; } >>"$scratch/rewritten"
        fi
    done
    [ "$update" = 1 ] || check_exact exit "$1" "$2"
    emit "--- exit $(cat "$scratch/actual.exit")"
}

# Reads the sections from line i on into expected.* and contains.*; leaves i behind `--- exit N`. In an update a
# command without any section is a new one.
read_expectations() { # line number of the command
    local section="" stream
    rm -f "$scratch"/expected.* "$scratch"/contains.*
    : >"$scratch/expected.stdout" && : >"$scratch/expected.stderr"
    while [ "$i" -lt "${#lines[@]}" ]; do
        local line=${lines[i]}
        if [[ $line =~ $marker ]]; then
            stream=${line#--- }
            i=$((i + 1))
            if [[ $stream == exit\ * ]]; then
                echo "${stream#exit }" >"$scratch/expected.exit"
                return
            fi
            section=$scratch/expected.$stream
            [[ $stream != *\ contains ]] || section=$scratch/contains.${stream% contains}
            : >"$section"
        elif [ -z "$section" ]; then
            break
        else
            printf '%s\n' "$line" >>"$section"
            i=$((i + 1))
        fi
    done
    [ "$update" = 1 ] && [ -z "$section" ] || malformed "$1" "this command has no '--- exit N'"
}

mapfile -t lines <"$test_file"
[[ ${lines[0]:-} == '# '?* ]] || malformed 1 "the first line says what the test shows: '# ...'"
: >"$scratch/rewritten"
i=0
while [ "$i" -lt "${#lines[@]}" ]; do
    line=${lines[i]}
    start=$((i + 1))
    case $line in
    '' | '#'*)
        emit "$line"
        i=$((i + 1))
        ;;
    '! '* | '!')
        script=""
        while [ "$i" -lt "${#lines[@]}" ] && [[ ${lines[i]} == '! '* || ${lines[i]} == '!' ]]; do
            text=${lines[i]#!}
            script+=${text# }$'\n'
            emit "${lines[i]}"
            i=$((i + 1))
        done
        run_setup "$start" "$script"
        ;;
    '$ '*)
        command=${line#\$ }
        emit "$line"
        i=$((i + 1))
        while [[ $command == *\\ ]] && [ "$i" -lt "${#lines[@]}" ]; do
            command+=$'\n'${lines[i]}
            emit "${lines[i]}"
            i=$((i + 1))
        done
        run_command "$command"
        read_expectations "$start"
        check_or_rewrite "$start" "$command"
        ;;
    *) malformed "$start" "neither '# ', '! ' nor '$ ': $line" ;;
    esac
done
[ "$commands" -gt 0 ] || malformed 1 "no command"

if [ "$update" = 1 ] && ! cmp -s "$scratch/rewritten" "$test_file"; then
    cat "$scratch/rewritten" >"$test_file"
    echo "$test_file: rewritten"
fi
[ "$failures" -eq 0 ]
