#!/usr/bin/env bash
# Checks that no two headers define a type of the same name: check_names.sh SOURCE-TREE
#
# All of src/ is one namespace. Two types of one name in two headers that no file includes together compile and link, and
# are then constructed as each other: memory is overwritten without a word. Specialisations (template <>) are no
# definitions of a name, and src/text/unit_names.h has a namespace of its own.
set -euo pipefail
cd "${1:?usage: check_names.sh SOURCE-TREE}/src"

find . -name '*.h' ! -name unit_names.h | sort | xargs awk '
    /^template <>/ { skip = 1; next }
    /^(struct|class|enum class) [A-Z][A-Za-z0-9]*( |$)/ && !/;/ && !skip {
        name = $1 == "enum" ? $3 : $2
        types++
        if (name in at) { print FILENAME ":" FNR ": " name " is defined in " at[name] " too"; twice++ }
        at[name] = FILENAME ":" FNR
    }
    { skip = 0 }
    END {
        if (types == 0) { print "no types found"; exit 1 }
        if (twice > 0) exit 1
        print types " types, each name once"
    }'
