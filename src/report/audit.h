// What `check` answers: the audits of files of the catalogue.
#pragma once

#include "io/audit.h"
#include "report/document.h"

#include <string>
#include <vector>

namespace spillway {

// One row per check, in JSON and csv.
Table audit_table(const std::vector<FileAudit>& files);

// With `whole`, every check of every file; otherwise those that fail, and one line per file.
Document audit_document(const std::vector<FileAudit>& files, bool whole, const std::string& version);

} // namespace spillway
