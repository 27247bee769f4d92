// Paths in every kind of file that has sources; all others call these.
#include "io/load_sources.h"

namespace spillway {

template PathResult resolve_path(ModelFile&, std::string_view);
template PathResult resolve_path(MachineFile&, std::string_view);
template PathResult resolve_path(PartFile&, std::string_view);
template PathResult resolve_path(ScenarioFile&, std::string_view);
template PathResult resolve_path(RuntimeFile&, std::string_view);
template PathResult resolve_path(LocalityFile&, std::string_view);

} // namespace spillway
