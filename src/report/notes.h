// Sentences for notes and for figures that are missing: each says why, and for an unknown input the flag that supplies
// it.
#pragma once

#include "report/report.h"

#include <string>

namespace spillway {

// One or two sentences. Its numbers are the note's value, rounded, which the JSON has beside the text.
std::string note_text(const Report& report, const Note& note);

// Why decode or prefill has no speed, in a few words: "does not fit: short by 12.3 GB", "the read rate of drive
// internal is unknown". Only for a figure that is missing.
std::string why_no_decode(const Report& report);
std::string why_no_prefill(const Report& report);

} // namespace spillway
