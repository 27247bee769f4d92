#include "checkpoint/join.h"

#include "checkpoint/byte_reader.h"
#include "checkpoint/few_problems.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace spillway {

void add_file(CheckpointFile file, std::vector<Tensor> tensors, Checkpoint& checkpoint) {
    for (Tensor& tensor : tensors) tensor.file = static_cast<int>(checkpoint.files.size());
    checkpoint.files.push_back(std::move(file.path));
    checkpoint.file_bytes.push_back(file.bytes);
    checkpoint.data_start.push_back(file.data_start);
    if (checkpoint.tensors.empty()) {
        checkpoint.tensors = std::move(tensors);
    } else {
        checkpoint.tensors.insert(checkpoint.tensors.end(), std::make_move_iterator(tensors.begin()),
                                  std::make_move_iterator(tensors.end()));
    }
}

void check_names(const Checkpoint& checkpoint) {
    std::unordered_map<std::string_view, const Tensor*> seen;
    seen.reserve(checkpoint.tensors.size());
    const auto file = [&](const Tensor& tensor) {
        return checkpoint.files[static_cast<std::size_t>(tensor.file)].string();
    };
    FewProblems problems(checkpoint.files.empty() ? "" : checkpoint.files.front().string());
    for (const Tensor& tensor : checkpoint.tensors) {
        const auto [first, fresh] = seen.try_emplace(tensor.name, &tensor);
        if (fresh) continue;
        const bool same = first->second->file == tensor.file;
        problems.add("tensor " + shown_text(tensor.name), "is there twice",
                     same ? file(tensor) : fmt::format("in {} and in {}", file(*first->second), file(tensor)),
                     "one of each name");
    }
    problems.throw_if_any();
}

} // namespace spillway
