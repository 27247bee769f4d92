#include "report/input_paths.h"

#include "text/path_walk.h"

namespace spillway {

std::string pool_path(const Case& c, std::size_t pool, std::string_view field) {
    return path_join(path_join("machine.memory", element_word(c.machine.memory, pool)), field);
}

} // namespace spillway
