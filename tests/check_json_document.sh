#!/usr/bin/env bash
# Checks that docs/json.md names every key that the commands print: check_json_document.sh SOURCE-TREE PROGRAM
#
# A key counts as named if it stands in backticks in the command's section, in "Shared" or, for columns that are paths
# of a report, in "report". Keys of settings and files are not keys of an answer and do not occur here.
set -euo pipefail
tree=${1:?usage: check_json_document.sh SOURCE-TREE PROGRAM}
program=$(realpath "${2:?usage: check_json_document.sh SOURCE-TREE PROGRAM}")
cd "$tree"
export SPILLWAY_DATA=$PWD NO_COLOR=1

# Words in backticks of the sections with these headings.
named() {
    for heading in "$@"; do
        sed -n "/^## $heading\$/,/^## /p" docs/json.md
    done | grep -oE '`[^`]*`' | tr -d '`' | tr '.' '\n' | sed 's/\[\]//' | sort -u
    # Names with a dot inside.
    for heading in "$@"; do sed -n "/^## $heading\$/,/^## /p" docs/json.md; done | grep -oE '`[^`]*`' | tr -d '`' | sort -u
}

status=0
commands=0
check() {
    local section=$1 output keys words key part
    shift
    output=$("$program" "$@" || true)
    keys=$(grep -oE '^ *"[^"]+": ' <<<"$output" | tr -d ' ":' | sort -u)
    if [ "$(wc -l <<<"$keys")" -lt 3 ]; then
        echo "spillway $*: printed no document"
        status=1
        return
    fi
    commands=$((commands + 1))
    words=$(named "$section" Shared report)
    for key in $keys; do
        grep -qxF -- "$key" <<<"$words" && continue
        for part in ${key//./ }; do
            grep -qxF -- "$part" <<<"$words" && continue
            echo "docs/json.md, section $section, does not name \"$key\" (spillway $*)"
            status=1
            break
        done
    done
}

moe="-m deepseek-v4.1-flash -d apple-m3-ultra-256gb -q mxfp4"
pools="-m qwen3-235b-a22b -d rtx-3090-host-64gb -q q4_k"
trace=tests/data/synthetic.route.csv
# shellcheck disable=SC2086
{
    check report report $moe --json --explain
    check report report $pools --json --set scenario.runtime=llama.cpp-cuda-ram
    check report report $moe --json --set scenario.runtime=streamer-page-cache --set scenario.positions=4 \
        --set scenario.runtime.prefetch_lookahead=1 --set scenario.runtime.prefetch_waste=0.5
    check compare compare $moe --json --set "machine.storage.0.rate=12 GB/s"
    check sweep sweep $moe --json
    check gate gate scenarios/ci-gate.json --json
    check break-even break-even $moe --json
    check sensitivity sensitivity $moe --json
    for what in models machines scenarios runtimes localities; do check list list $what --json; done
    check list list quants -m kimi-k2 --json
    check list list measured --json
    check validate validate tests/data/measured/sample.json --json --rows
    check check check --json
    for what in inspect fit curve; do check trace trace $what $trace --json; done
    check simulate simulate --synthetic uniform -m qwen3-30b-a3b -d apple-m3-ultra-96gb --slots 64 --tokens 50 --json
    check import import "$(find tests/data/configs -type f | sort | head -n 1)" --inspect --json
    check Shared report -m no-such-model --json
}
[ $status -eq 0 ] && echo "docs/json.md names the keys of $commands documents"
exit $status
