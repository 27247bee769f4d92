#include "io/write_files.h"

namespace spillway {

template OrderedJson write_object(const ModelFile&);
template OrderedJson write_object(const MachineFile&);
template OrderedJson write_object(const PartFile&);
template OrderedJson write_object(const ScenarioFile&);
template OrderedJson write_object(const RuntimeFile&);
template OrderedJson write_object(const LocalityFile&);

} // namespace spillway
