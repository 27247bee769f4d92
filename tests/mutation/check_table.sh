#!/usr/bin/env bash
# Checks that the table of mutants follows the code: check_table.sh SOURCE-TREE [TABLE]
#
# Every row's search text must occur in its file exactly once, and its replacement must differ. A row that no longer
# matches is an error: change the row with the formula, or take it out with it.
set -euo pipefail
cd "${1:?usage: check_table.sh SOURCE-TREE [TABLE]}"
table=${2:-tests/mutation/mutants.txt}

awk -F ' @@ ' '
    /^#/ || /^[ \t]*$/ { next }
    function wrong(why) { printf "%s:%d: %s\n", FILENAME, FNR, why; failures++ }
    {
        rows++
        if (NF < 3 || NF > 4) { wrong("not \"file @@ search @@ replacement\" and perhaps \"@@ why it is equivalent\""); next }
        if ($2 == $3) wrong("search and replacement are the same")
        if (seen[$1, $2, $3]++) wrong("the same mutant twice")
        if (!($1 in text)) {
            while ((status = (getline line < $1)) > 0) text[$1] = text[$1] line "\n"
            if (status < 0) wrong("no such file: " $1)
            close($1)
        }
        found = 0
        rest = text[$1]
        while ((at = index(rest, $2)) > 0) { found++; rest = substr(rest, at + length($2)) }
        if (found != 1) wrong("occurs " found " times in " $1 ": " $2)
    }
    END {
        if (rows == 0) { print "no mutants in " FILENAME; exit 1 }
        if (failures > 0) { print failures " rows against the code"; exit 1 }
        print rows " mutants match the code"
    }' "$table"
