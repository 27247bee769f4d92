#!/usr/bin/env bash
# Fits the runtime profiles to the shipped measured runs: refit.sh SPILLWAY [FOLDER]
#
# Writes each profile into FOLDER (default: a temporary one) and says whether it is the committed file. The start
# values stand here and not in the profiles, so that fitting twice gives the same files. With FOLDER = this one the
# committed files are replaced.
set -euo pipefail
spillway=${1:?usage: refit.sh SPILLWAY [FOLDER]}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${2:-$(mktemp -d)}
mkdir -p "$folder"
export SPILLWAY_DATA=${here%/scenarios/runtimes}

# Terms and the values that an outside fit over published runs gave them, believed to x/ 1.3.
fit() { # runtime kind terms...
    local runtime=$1 kind=$2 terms=(--figure decode)
    shift 2
    for term in "$@"; do
        terms+=(--fit "scenario.runtime.$term")
        case $term in compute_share*) terms+=(--figure prefill) ;; esac
    done
    "$spillway" calibrate --runtime "$runtime" --kind "$kind" --loss cauchy --prior 1.3 "${terms[@]}" \
        -o "$folder/$runtime.json.new" >"$folder/$runtime.txt"
    mv "$folder/$runtime.json.new" "$folder/$runtime.json"
    if cmp -s "$folder/$runtime.json" "$here/$runtime.json"; then
        echo "$runtime: as committed"
    else
        echo "$runtime: differs from the committed file: $folder/$runtime.json"
        status=1
    fi
}

status=0
fit llama.cpp-metal resident sustained.apple-gpu=0.82 "t_layer.apple-gpu=0.135 ms" "t_layer_moe=0.084 ms" \
    kv_share=0.31 compute_share.apple-gpu=0.55
fit mlx resident sustained.apple-gpu=0.91 "t_layer.apple-gpu=0.06 ms" "t_layer_moe=0.047 ms" kv_share=0.67 \
    compute_share.apple-gpu=0.63
fit llama.cpp-cuda resident sustained.nvidia-gpu=0.91 "t_layer.nvidia-gpu=0.032 ms" "t_layer_moe=0.026 ms" \
    kv_share=0.63
fit llama.cpp-rocm resident sustained.strix-halo=0.81 "t_layer.strix-halo=0.084 ms" "t_layer_moe=0.027 ms" \
    kv_share=0.57
fit llama.cpp-vulkan resident sustained.strix-halo=0.70 "t_layer.strix-halo=0.013 ms" "t_layer_moe=0.013 ms" \
    kv_share=0.75
fit ds4-metal resident sustained.apple-gpu=0.84 "t_layer.apple-gpu=0.328 ms" kv_share=0.46
fit ds4-cuda resident sustained.gb10=0.57 "t_layer.gb10=0.066 ms" kv_share=0.54
fit llama.cpp-cuda-ram split sustained.cpu-desktop=0.67 "t_layer.nvidia-gpu=0.032 ms" "handoff=0.1 ms"
exit "$status"
