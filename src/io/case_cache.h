// Loads many cases of one catalogue: each file is read and checked once, however many cases name it. For replays of
// hundreds of rows; a single case needs load_case().
#pragma once

#include "io/load_case.h"

#include <memory>

namespace spillway {

// What was read so far. Not for several threads at once.
class CaseCache {
public:
    CaseCache();
    ~CaseCache();
    CaseCache(const CaseCache&) = delete;
    CaseCache& operator=(const CaseCache&) = delete;

    struct Files;
    Files& files() { return *files_; }

private:
    std::unique_ptr<Files> files_;
};

// As load_case(), but for the digest, which is left empty: it is one over all files of a case in their order. `cache`
// is for one catalogue.
LoadedCase load_case(const CaseRequest& request, const Catalogue& catalogue, CaseCache& cache);

} // namespace spillway
