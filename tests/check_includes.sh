#!/usr/bin/env bash
# Checks the direction of includes: check_includes.sh SOURCE-TREE
#
# The engine (files directly in src/) sees itself and the standard library, without I/O or clocks. Each folder of
# src/ sees the engine, itself and what `allowed` names; src/cli sees everything, and nothing below sees src/cli.
# A folder without a line here is an error, so that a new one is placed on purpose.
set -euo pipefail
cd "${1:?usage: check_includes.sh SOURCE-TREE}/src"

find . \( -name '*.h' -o -name '*.cpp' \) | sort | xargs awk '
    BEGIN {
        allowed["io"] = "engine"
        allowed["explore"] = allowed["simulate"] = allowed["calibrate"] = "engine io"
        allowed["checkpoint"] = allowed["probe"] = allowed["validate"] = "engine io"
        allowed["report"] = "engine io explore simulate validate"
        allowed["cli"] = "engine io explore simulate calibrate checkpoint probe validate report"
        not_in_engine = "^<(nlohmann/|CLI/|fmt/|Eigen/|iostream>|fstream>|filesystem>|chrono>)"
    }
    function folder(path) { return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "engine" }
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
            if (from == "engine" && target ~ not_in_engine) wrong("-- not in the engine")
            if (from != "cli" && target ~ /^<CLI\//) wrong("-- CLI11 belongs to src/cli")
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
        wrong("-- " (from == "engine" ? "the engine" : "src/" from) " may not see " to)
    }
    END {
        if (files == 0) { print "no sources found"; exit 1 }
        if (failures > 0) { print failures " includes against the layout"; exit 1 }
        print files " files keep the layout"
    }'
