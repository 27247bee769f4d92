#!/usr/bin/env bash
# Checks that there is one estimator: check_one_estimator.sh SOURCE-TREE
#
# evaluate() is defined once, and operands are turned into seconds (seconds_of) by the engine, the simulator and the
# report's --explain only. Every other command has to ask evaluate().
set -euo pipefail
cd "${1:?usage: check_one_estimator.sh SOURCE-TREE}"

sources() { find src "$@" -name '*.cpp' -o -name '*.h' | sort; }

definitions=$(sources | xargs awk '
    /^[ \t]*(spillway::)?Estimate (spillway::)?evaluate\(/ { open = 1 }
    open && /;/ { open = 0 }
    open && /\{/ { print FILENAME ":" FNR; open = 0 }')
status=0
if [ "$(printf '%s' "$definitions" | grep -c .)" -ne 1 ]; then
    echo "evaluate() must be defined exactly once; found:"
    echo "${definitions:-nowhere}"
    status=1
fi

strangers=$(sources -mindepth 2 | grep -vE "^src/(inputs|text|engine)/|^src/simulate/|^src/report/explain" | xargs -r grep -nE '\bseconds_of\(' || true)
if [ -n "$strangers" ]; then
    echo "seconds_of() is for the engine, src/simulate and src/report/explain:"
    echo "$strangers"
    status=1
fi
exit $status
