// The readers of every kind of file; all others call these.
#include "io/load_files.h"

namespace spillway {

template std::optional<Loaded<ModelFile>> load_file(LoadContext&, const FoundFile&);
template std::optional<Loaded<MachineFile>> load_file(LoadContext&, const FoundFile&);
template std::optional<Loaded<PartFile>> load_file(LoadContext&, const FoundFile&);
template std::optional<Loaded<ScenarioFile>> load_file(LoadContext&, const FoundFile&);
template std::optional<Loaded<RuntimeFile>> load_file(LoadContext&, const FoundFile&);
template std::optional<Loaded<LocalityFile>> load_file(LoadContext&, const FoundFile&);
template std::optional<Loaded<FormatsFile>> load_file(LoadContext&, const FoundFile&);
template std::optional<Loaded<MachineFile>> load_object(LoadContext&, const FoundFile&, const JsonFile&, bool,
                                                        MachineFile);
template std::optional<Loaded<ScenarioFile>> load_object(LoadContext&, const FoundFile&, const JsonFile&, bool,
                                                         ScenarioFile);

} // namespace spillway
