#!/usr/bin/env bash
# Which small wrong formulas do the unit and property tests find? run.sh BUILD_DIR [PATTERN]
#
# For each row of mutants.txt (whose text matches PATTERN, an awk regular expression): changes a scratch copy of the one
# source file, compiles it, links it before the libraries into a copy of the tests, and runs them until the first
# failure. BUILD_DIR is a Ninja build whose spillway_tests is up to date. The tree is not touched.
#
# Prints a line per mutant and a summary; exits with 1 unless all are killed. MUTATION_JOBS (default: all cores) run at
# once. Properties are drawn from one seed, and a failing one is not shrunk, so that a run says the same each time.
set -euo pipefail

usage="usage: run.sh BUILD_DIR [PATTERN]"
build=$(cd "${1:?$usage}" && pwd)
pattern=${2:-.}
source_tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
table=$source_tree/tests/mutation/mutants.txt
jobs=${MUTATION_JOBS:-$(nproc)}
# The tests nearest to a folder come first: most of its mutants die there within a second. All others follow.
first_tests() { # path below the tree
    case $1 in
    src/engine/*) echo "[variants],[engine],[pools],[kv],[drive],[locality]" ;;
    src/explore/*) echo "[levers],[gate],[sweep]" ;;
    *) echo "[simulate],[trace],[cache]" ;;
    esac
}

bash "$source_tree/tests/mutation/check_table.sh" "$source_tree"
[ -f "$build/build.ninja" ] || { echo "$build is not a Ninja build" >&2; exit 2; }
grep -qF "\"$source_tree/src/" "$build/compile_commands.json" || { echo "$build builds another tree" >&2; exit 2; }
newer=$(cd "$source_tree" && find src tests \( -name "*.cpp" -o -name "*.h" \) -newer "$build/tests/spillway_tests")
[ -z "$newer" ] || { echo "spillway_tests is out of date: build it first" >&2; exit 2; }
link=$(ninja -C "$build" -t commands tests/spillway_tests | tail -n 1)
linker=""
for candidate in lld gold; do
    if [ -z "$linker" ] && command -v "ld.$candidate" >/dev/null; then linker="-fuse-ld=$candidate"; fi
done

if ! (cd "$source_tree" && SPILLWAY_DATA=$source_tree NO_COLOR=1 "$build/tests/spillway_tests" >/dev/null 2>&1); then
    echo "the tests fail as they are" >&2
    exit 2
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/spillway-mutants.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# The command that compiles a file, as the build has it.
compile_command() { # path below the tree
    awk -v file="\"file\": \"$source_tree/$1\"" '
        /"command":/ { command = $0 }
        index($0, file) { print command; exit }' "$build/compile_commands.json" |
        sed -e 's/^ *"command": "//' -e 's/",$//' -e 's/\\"/"/g' -e 's/\\\\/\\/g'
}

run_tests() { # folder, tests
    # The outer redirection hides what bash says of a test that was killed by a signal.
    { (cd "$source_tree" && SPILLWAY_DATA=$source_tree NO_COLOR=1 RC_PARAMS="seed=20261201 noshrink=1" \
        timeout 600 "$1/tests" -a "$2" >"$1/log" 2>&1); } 2>/dev/null
}

# Prints what became of the mutant: killed by which test, survived, or why it could not be tried.
judge() { # folder, file, search, replacement
    local copy=$1/mutant.cpp object=$1/mutant.o compile
    SEARCH=$3 REPLACEMENT=$4 awk '
        { at = index($0, ENVIRON["SEARCH"]) }
        at > 0 { $0 = substr($0, 1, at - 1) ENVIRON["REPLACEMENT"] substr($0, at + length(ENVIRON["SEARCH"])) }
        { print }' "$source_tree/$2" >"$copy"
    compile=$(compile_command "$2" | sed -e "s| -o [^ ]*| -w -o $object|" -e "s| -c [^ ]*| -c $copy|")
    [ -n "$compile" ] || { echo "not in the build"; return; }
    (cd "$build" && eval "$compile") >"$1/log" 2>&1 || { echo "does not compile"; return; }
    (cd "$build" && eval "${link/ tests\/CMakeFiles/ $object tests/CMakeFiles}" >/dev/null) 2>"$1/log" ||
        { echo "does not link"; return; }
    if run_tests "$1" "$(first_tests "$2")" && run_tests "$1" "*"; then
        echo survived
    else
        echo "killed by: $(awk '/^-----/ { getline; if ($0 !~ /^-/) name = $0 } END { print name }' "$1/log")"
    fi
}

try() { # number, file, search, replacement
    local folder=$scratch/$1 result
    mkdir "$folder"
    # A link of its own.
    link=${link/-o tests\/spillway_tests/$linker -o $folder/tests}
    result=$(judge "$folder" "$2" "$3" "$4")
    printf '%-10s %s: %s => %s\n' "${result%% *}" "$2" "$3" "$4" >"$scratch/result.$1"
    case $result in
    killed*) printf '    %s\n' "$result" >"$scratch/by.$1" ;;
    survived) ;;
    *) printf 'untried    %s: %s => %s (%s)\n' "$2" "$3" "$4" "$result" >"$scratch/result.$1" ;;
    esac
    cat "$scratch/result.$1"
    rm -rf "$folder"
}

number=0 running=0
while IFS=$'\t' read -r file search replacement why; do
    [ -z "$why" ] || continue # equivalent: nothing to find
    number=$((number + 1))
    try "$number" "$file" "$search" "$replacement" &
    running=$((running + 1))
    if [ "$running" -ge "$jobs" ]; then
        wait -n || true
        running=$((running - 1))
    fi
done < <(awk -v pattern="$pattern" '
    /^#/ || /^[ \t]*$/ || $0 !~ pattern { next }
    { gsub(/ @@ /, "\t"); print }' "$table")
wait

count() { cat "$scratch"/result.* 2>/dev/null | grep -c "^$1 " || true; }
survived=$(count survived) untried=$(count untried)
echo "$number mutants: $(count killed) killed, $survived survived, $untried could not be tried"
[ "$number" -gt 0 ] && [ "$survived" -eq 0 ] && [ "$untried" -eq 0 ]
