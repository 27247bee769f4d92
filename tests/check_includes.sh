#!/usr/bin/env bash
# Checks the direction of includes: check_includes.sh SOURCE-TREE
#
# The rooms of the engine are src/inputs (what a user states), src/engine (the estimator) and src/text (units, names
# and paths); they see the standard library without I/O, clocks, threads, random numbers, the environment or locales,
# and nothing of src/text is seen by the estimator. Every folder sees what `allowed` names and itself; nothing below
# sees src/cli. A folder without a line here is an error, so that a new one is placed on purpose.
set -euo pipefail
cd "${1:?usage: check_includes.sh SOURCE-TREE}/src"

find . \( -name '*.h' -o -name '*.cpp' \) | sort | xargs awk '
    BEGIN {
        allowed["inputs"] = ""
        allowed["engine"] = "inputs"
        allowed["text"] = "inputs"
        allowed["io"] = "inputs engine text"
        allowed["explore"] = allowed["simulate"] = "inputs engine text io"
        allowed["calibrate"] = allowed["validate"] = "inputs engine text io"
        allowed["checkpoint"] = allowed["probe"] = "inputs engine text io"
        allowed["report"] = "inputs engine text io explore simulate validate calibrate"
        allowed["cli"] = "inputs engine text io explore simulate calibrate checkpoint probe validate report"
        rooms = " inputs engine text "
        not_in_rooms = "^<(nlohmann/|CLI/|fmt/|Eigen/|iostream>|fstream>|filesystem>|chrono>|thread>|random>|locale>|cstdlib>)"
    }
    function folder(path) { return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "src" }
    function wrong(why) {
        printf "src/%s:%d: %s %s\n", substr(FILENAME, 3), FNR, $0, why
        failures++
    }
    FNR == 1 {
        from = folder(substr(FILENAME, 3))
        files++
        if (from != "engine" && !(from in allowed)) wrong("-- src/" from " has no rule in check_includes.sh")
    }
    !/^[ \t]*#[ \t]*include/ { next }
    {
        target = $0
        sub(/^[ \t]*#[ \t]*include[ \t]*/, "", target)
        if (target ~ /^</) {
            if (index(rooms, " " from " ") && target ~ not_in_rooms) wrong("-- not in src/" from)
            if (substr(FILENAME, 3) != "cli/bind.cpp" && target ~ /^<CLI\//) wrong("-- CLI11 belongs to src/cli/bind.cpp")
            next
        }
        path = substr(target, 2)
        sub(/".*/, "", path)
        if (path ~ /^\.\.?\// || path ~ /\/\.\.\//) {
            wrong("-- includes start at src/")
            next
        }
        to = folder(path)
        if (to == from || index(" " allowed[from] " ", " " to " ") > 0) next
        wrong("-- src/" from " may not see " to)
    }
    END {
        if (files == 0) { print "no sources found"; exit 1 }
        if (failures > 0) { print failures " includes against the layout"; exit 1 }
        print files " files keep the layout"
    }'
