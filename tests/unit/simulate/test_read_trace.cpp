// Readers: every format gives the same routes; malformed lines are skipped and counted with their numbers.
#include "simulate/fit.h"
#include "simulate/read_trace.h"
#include "support/routes.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <unistd.h>

using namespace spillway;

namespace {

// A file that is gone when the test ends.
class Scratch {
public:
    explicit Scratch(const std::string& text)
        : path_((std::filesystem::temp_directory_path() / ("spillway-trace-" + std::to_string(::getpid()))).string()) {
        test::write_file(path_, text);
    }
    ~Scratch() { std::filesystem::remove(path_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

struct Read {
    std::vector<std::string> routes; // "turn/phase token:layer e e e"
    TraceInfo info;
    Malformed malformed;
};

Read read(const std::string& text, TraceRequest request = {}) {
    const Scratch file(text);
    request.path = file.path();
    const auto source = open_trace(request);
    Read result;
    Route route;
    while (source->next(route)) {
        std::string line = std::to_string(route.turn) + (route.phase == RoutePhase::prefill ? "p " : "d ") +
                           std::to_string(route.token) + ":" + std::to_string(route.layer);
        for (const std::uint32_t e : route.experts) line += " " + std::to_string(e);
        result.routes.push_back(line);
    }
    CHECK_FALSE(source->next(route));
    result.info = source->info();
    result.malformed = source->malformed();
    return result;
}

using Routes = std::vector<std::string>;
const Routes kTwoTokens = {"0d 0:0 3 1", "0d 0:1 2 0", "0d 1:0 1 4", "0d 1:1 0 5"};

} // namespace

TEST_CASE("rows, JSON lines and JSON arrays give the same routes", "[trace]") {
    CHECK(read("layer,expert\n0,3\n0,1\n1,2\n1,0\n0,1\n0,4\n1,0\n1,5\n").routes == kTwoTokens);
    CHECK(read("0,3\r\n0,1\r\n1,2\r\n1,0\r\n0,1\r\n0,4\r\n1,0\r\n1,5").routes == kTwoTokens);
    CHECK(read("{\"layer\":0,\"token\":0,\"experts\":[3,1]}\n{\"layer\":1,\"token\":0,\"selected\":[2,0]}\n\n"
               "{\"layer\":0,\"token\":1,\"topk_ids\":[1,4]}\n{\"layer_id\":1,\"step\":1,\"expert_ids\":[0,5]}\n")
              .routes == kTwoTokens);
    CHECK(read("[[[3,1],[2,0]],[[1,4],[0,5]]]").routes == kTwoTokens);
    CHECK(read("[\n [[3, 1], [2, 0]],\n [[1, 4], [0, 5]]\n]\n").routes == kTwoTokens);
}

TEST_CASE("route_trace: columns by name, preamble, phases and turns", "[trace]") {
    const Read got =
        read("# route_trace v1\n# model=/some/where/m.gguf arch=x n_layer=2 n_expert=8 n_expert_used=2\n"
             "# layer=0 expert_bytes=100 dense_bytes=5\n# layer=1 expert_bytes=200 dense_bytes=5\n"
             "turn,phase,step,layer,expert,slot,weight,residency,expert_bytes,dropped\n"
             "0,0,0,0,7,0,0.5,0,100,0\n0,0,0,0,2,1,0.5,0,100,1\n0,1,1,0,7,0,1,1,0,0\n1,1,0,1,3,0,1,1,0,0\n");
    CHECK(got.routes == Routes{"0p 0:0 7 2", "0d 1:0 7", "1d 0:1 3"});
    CHECK(got.info.model == "m.gguf");
    CHECK(got.info.experts == 8U);
    CHECK(got.info.top_k == 2U);
    CHECK(got.info.expert_bytes == std::vector<std::uint64_t>{100, 200});
    CHECK(got.malformed.count == 0);
    CHECK_FALSE(got.info.synthetic);
    CHECK(read("# synthetic\n0,3\n", {"", TraceFormat::csv, {}, {}}).info.synthetic);
}

TEST_CASE("one layer of plain rows needs the number of experts per token", "[trace]") {
    TraceRequest request;
    request.top_k = 2;
    CHECK(read("0,3\n0,1\n0,3\n0,2\n", request).routes == Routes{"0d 0:0 3 1", "0d 1:0 3 2"});
    const Read without = read("0,3\n0,1\n0,3\n0,2\n");
    REQUIRE(without.malformed.count == 1);
    CHECK(without.malformed.first[0].pointer == "line 3");
    CHECK(without.malformed.first[0].message.find("--top-k") != std::string::npos);
}

TEST_CASE("malformed lines are left out and counted", "[trace]") {
    const Read rows = read("0,3\nnonsense\n0,1\n0,-1\n1,99999\n1,2\n1\n");
    CHECK(rows.routes == Routes{"0d 0:0 3 1", "0d 0:1 2"});
    CHECK(rows.malformed.count == 4);
    CHECK(rows.malformed.first[0].pointer == "line 2");
    CHECK(rows.malformed.first[3].pointer == "line 7");

    const Read lines =
        read("{\"layer\":0,\"experts\":[1]}\n{\"layer\":0,\"experts\":[1,1]}\n{\"layer\":-1,\"experts\":[1]}\n{\n"
             "{\"layer\":0,\"experts\":[2],\"phase\":\"prefill\"}\n");
    CHECK(lines.routes == Routes{"0d 0:0 1", "0p 0:0 2"});
    CHECK(lines.malformed.count == 3);

    const Read arrays = read("[[[1,2],[3,\"x\"]],[[4,4],[5,6]]]");
    CHECK(arrays.routes == Routes{"0d 0:0 1 2", "0d 1:1 5 6"});
    CHECK(arrays.malformed.count == 2);
    CHECK(read("[[[1,2]],[[3").malformed.count == 1);

    std::string many;
    for (int i = 0; i < 100; ++i) many += "0,x\n";
    const Read counted = read("0,1\n" + many);
    CHECK(counted.malformed.count == 100);
    CHECK(counted.malformed.first.size() == Malformed::kShown);
}

TEST_CASE("an expert at or above the stated E is malformed", "[trace]") {
    TraceRequest request;
    request.experts = 4;
    CHECK(read("0,3\n0,4\n", request).malformed.count == 1);
    CHECK(read("[[[3,4]]]", request).malformed.count == 1);
}

TEST_CASE("what cannot be read is refused", "[trace]") {
    CHECK_THROWS_AS(open_trace({"no/such/trace.csv", TraceFormat::automatic, {}, {}}), InputError);
    CHECK_THROWS_AS(read(""), InputError);
    CHECK_THROWS_AS(read("hello\n"), InputError);
    CHECK_THROWS_AS(read("residency,hits,misses\n0.5,1,1\n"), InputError);
}

TEST_CASE("a long line and a file without a last newline are read", "[trace]") {
    std::string text =
        "{\"layer\":0,\"pad\":\"" + std::string(2U << 20U, 'x') + "\",\"experts\":[1]}\n{\"layer\":0,\"experts\":[2]}";
    CHECK(read(text).routes == Routes{"0d 0:0 1", "0d 0:0 2"});
}

TEST_CASE("an engine's counters become points that do not rise", "[trace][fit]") {
    const Scratch file(
        "residency,hits,misses\n50 %,80,20\n0.25,50,50\n0.75,74,26\n0.75,26,74\nnonsense,1,2\n1.5,1,1\n");
    const Counters counters = read_counters(file.path());
    CHECK(counters.malformed.count == 2);
    CHECK(counters.lookups == 400);
    // 0.75 has 100 of 200 missing after merging, more than the 20 of 100 at 0.5: levelled to 120 of 300, and 0.25
    // stays.
    REQUIRE(counters.measured.points.size() == 3);
    CHECK(counters.measured.points[0].miss_fraction == Approx(0.5));
    CHECK(counters.measured.points[1].miss_fraction == Approx(0.4));
    CHECK(counters.measured.points[2].miss_fraction == Approx(0.4));
    CHECK(counters.measured.levelled == 2);
}
