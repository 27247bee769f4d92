#include "cli/answer.h"

#include "io/json_text.h"
#include "io/output_file.h"
#include "report/print.h"

#include <nlohmann/json.hpp>

namespace spillway {

namespace {

std::string printed(const Document& document, const OutputFlags& output) {
    if (output.format == "markdown") return print_markdown(document);
    if (output.format == "html") return print_html(document);
    if (output.format == "csv") return print_csv(document);
    return print_text(document, TextOptions{.color = colour(output)});
}

} // namespace

void write_answer(const OutputFlags& output, const Answering& answer) {
    write_output(output.file, output.wants_json() ? json_text(answer.json()) : printed(answer.document(), output));
}

} // namespace spillway
