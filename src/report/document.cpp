#include "report/document.h"

namespace spillway {

DocumentSection& Document::add(std::string heading) {
    sections.push_back({std::move(heading)});
    return sections.back();
}

} // namespace spillway
