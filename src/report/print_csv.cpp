#include "report/print.h"

namespace spillway {

std::string print_csv(const Document& document) {
    if (document.data) return table_csv(*document.data);
    for (const DocumentSection& section : document.sections) {
        for (const DocumentBlock& block : section.blocks) {
            if (const auto* table = std::get_if<Table>(&block)) return table_csv(*table);
        }
    }
    return {};
}

} // namespace spillway
