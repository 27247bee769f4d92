#!/usr/bin/env bash
# Checks that there is one estimator: check_one_estimator.sh SOURCE-TREE
#
# evaluate() is defined once, operands become seconds (seconds_of) in the engine and in the report's --explain only, and
# no other folder divides by a rate, a bandwidth or a speed of memory, or multiplies a time with one: that is how a
# second estimator begins. What looks like it is found by name, with comments and texts left out. The list below says
# for each line that may stay why it is no estimate; one that no longer occurs has to go. The rule of thumb that measured
# runs are compared with beside the estimate (src/validate/rule_of_thumb) is asked by src/validate alone.
set -euo pipefail
cd "${1:?usage: check_one_estimator.sh SOURCE-TREE}"

allowed='
src/simulate/storage_queue.cpp @@ const double seconds = bytes / cached_rate(piece, batch); @@ the clock of the simulated drive: its rate is storage_read, of the engine
src/simulate/run_groups.cpp @@ insertion = (Bytes(reads.missed * layer.bytes) / *runtime_.insertion_rate).value; @@ the simulated step copies the misses it had, not those of the closed form
src/io/load_machine.cpp @@ link.rate = kPcieShare * pcie_bandwidth(link.pcie_generation, link.pcie_lanes); @@ an input that the machine file leaves out, a rate itself
src/explore/closed_form.cpp @@ form.readable = form.left * form.rate; @@ the steps that break-even prints; a test holds them to its search over evaluate()
'

sources() { find src -name '*.cpp' -o -name '*.h' | sort; }

definitions=$(sources | xargs awk '
    /^[ \t]*(spillway::)?Estimate (spillway::)?evaluate\(const Case& [a-z]*\)/ { open = 1 }
    open && /;/ && !/\{/ { open = 0 }
    open && /\{/ { print FILENAME ":" FNR; open = 0 }')
status=0
if [ "$(printf '%s' "$definitions" | grep -c .)" -ne 1 ]; then
    echo "evaluate(const Case&) must be defined exactly once; found:"
    echo "${definitions:-nowhere}"
    status=1
fi

strangers=$(sources | grep -vE '^src/(engine/|report/ex)' | xargs -r grep -nE '\bseconds_of\(' || true)
if [ -n "$strangers" ]; then
    echo "seconds_of() is for the engine and the report's --explain:"
    echo "$strangers"
    status=1
fi

sources | grep -vE '^src/(inputs|text|engine)/' | ALLOWED=$allowed xargs awk '
    BEGIN {
        lines = split(ENVIRON["ALLOWED"], line, "\n")
        for (i = 1; i <= lines; i++) {
            if (split(line[i], part, " @@ ") == 3) reason[part[1], part[2]] = part[3]
            else if (line[i] != "") { print "not \"file @@ code @@ reason\": " line[i]; failures++ }
        }
    }
    {
        code = $0
        gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
        sub(/\/\/.*/, "", code)
        while (match(code, /[*\/]=?[ \t]*\**[A-Za-z_][A-Za-z0-9_.:>-]*/)) {
            name = substr(code, RSTART, RLENGTH)
            code = substr(code, RSTART + RLENGTH)
            if (name !~ /(rate|bandwidth|sustained)_?((->|[.])value)?$/) continue
            # A pointer, reference or optional is read, not multiplied.
            before = substr($0, 1, index($0, name) - 1)
            if (name ~ /^\*/ && before !~ /[A-Za-z0-9_)\]][ \t]+$/) continue
            text = $0
            gsub(/^[ \t]+|[ \t]+$/, "", text)
            allowed = 0
            for (key in reason) {
                split(key, part, SUBSEP)
                if (part[1] == FILENAME && index(text, part[2]) > 0) { used[key] = allowed = 1 }
            }
            if (allowed) continue
            print FILENAME ":" FNR ": bytes and a rate make seconds in src/engine only: " text
            failures++
        }
    }
    END {
        for (key in reason) {
            if (used[key]) continue
            split(key, part, SUBSEP)
            print "allowed, but no longer there: " part[1] ": " part[2]
            failures++
        }
        exit failures > 0
    }' || status=1

rivals=$(sources | grep -vE '^src/validate/' | xargs -r grep -nE '\bthumb_(decode|prefill)\(' || true)
if [ -n "$rivals" ]; then
    echo "the rule of thumb is for src/validate, to compare with:"
    echo "$rivals"
    status=1
fi
exit $status
