// Files as JSON: write_object() of write_fields.h for every kind that is written or audited, compiled once.
#pragma once

#include "io/files.h"
#include "io/write_fields.h"

namespace spillway {

extern template OrderedJson write_object(const ModelFile&);
extern template OrderedJson write_object(const MachineFile&);
extern template OrderedJson write_object(const PartFile&);
extern template OrderedJson write_object(const ScenarioFile&);
extern template OrderedJson write_object(const RuntimeFile&);
extern template OrderedJson write_object(const LocalityFile&);

} // namespace spillway
