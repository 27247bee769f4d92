#include "checkpoint/settle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace spillway {

namespace {

Count rounded(double value) { return static_cast<Count>(std::llround(std::clamp(value, 0.0, kMaxCount))); }

class Settler {
public:
    Settler(Declared& declared, const Classified& seen, Problems& warnings)
        : d_(declared), seen_(seen), warnings_(warnings) {}

    void run() {
        settle_outside();
        settle_layers();
        settle_drafter();
        settle_tables();
        settle_conflicts();
    }

private:
    void warn(std::string where, std::string found, std::string expected, std::string message) {
        warnings_.push_back({d_.shown, std::move(where), std::move(found), std::move(expected), std::move(message)});
    }

    // Replaces a declared number by the tensors', once per kind of number with a warning.
    void correct(Count& declared, Count seen, ConfigField field) {
        if (seen <= 0) return;
        settled_.push_back({field, seen});
        if (declared == seen) return;
        const bool fresh = std::find(warned_.begin(), warned_.end(), field) == warned_.end();
        if (declared > 0 && fresh && !is_conflict(field)) {
            warn("", fmt::format("{}", declared), fmt::format("{} by the tensors", seen),
                 fmt::format("declares another {} than the tensors have; the tensors count", field_words(field)));
            warned_.push_back(field);
        }
        declared = seen;
    }

    bool is_conflict(ConfigField field) const {
        return std::any_of(d_.conflicts.begin(), d_.conflicts.end(),
                           [&](const Conflict& c) { return c.field == field; });
    }

    void settle_outside() {
        correct(d_.model.hidden, seen_.embedding_width, ConfigField::hidden);
        correct(d_.model.vocabulary, seen_.embedding_rows, ConfigField::vocabulary);
        d_.tied = seen_.of(TensorPart::head).tensors == 0;
        d_.model.extra_params = rounded(seen_.of(TensorPart::table_projection).matrices);
        if (d_.model.extra_params > 0) d_.model.extra_what = "projections of lookup table rows";
        double outside = seen_.of(TensorPart::mixer).matrices; // mixers outside the layers
        for (const auto& [number, layer] : seen_.layers) outside -= layer.of(TensorPart::mixer);
        if (outside < 1.0) return;
        d_.model.extra_params += rounded(outside);
        d_.model.extra_what +=
            d_.model.extra_what.empty() ? "mixers outside the layers" : "; mixers outside the layers";
    }

    void settle_layers() {
        std::size_t empty = 0;
        for (std::size_t i = 0; i < d_.layers.size(); ++i) {
            const auto found = seen_.layers.find(static_cast<int>(i));
            if (found == seen_.layers.end())
                ++empty;
            else
                settle_layer(d_.layers[i], found->second);
        }
        if (!seen_.layers.empty())
            settled_.push_back({ConfigField::layers, static_cast<Count>(seen_.layers.rbegin()->first) + 1});
        if (empty > 0) {
            warn("", fmt::format("tensors of {} layers", d_.layers.size() - empty),
                 fmt::format("{} layers", d_.layers.size()),
                 "lacks the tensors of some layers: is the checkpoint whole?");
        }
        if (seen_.beyond) {
            warn("", "layers beyond the last", fmt::format("{} layers", d_.layers.size()),
                 "has layers that the configuration does not declare: counted as a drafter's");
        }
    }

    void settle_layer(Block& block, const LayerSeen& layer) {
        settle_experts(block, layer);
        settle_shared(block, layer);
        settle_dense(block, layer);
        double extra = layer.of(TensorPart::mixer);
        // A layer without attention that has such tensors: a short convolution.
        const double mixing = block.attention ? 0.0 : layer.of(TensorPart::attention);
        if (extra + mixing < 1.0) return;
        block.extra_params = rounded(extra + mixing) + two_matrix_dense(layer);
        block.extra_what = mixing > 0.0 ? "convolution in place of attention" : "residual mixers";
    }

    void settle_experts(Block& block, const LayerSeen& layer) {
        const double total = layer.of(TensorPart::experts), down = layer.down_of(TensorPart::experts);
        if (layer.experts == 0 || down <= 0.0) {
            block.experts.reset();
            block.latent.reset();
            return;
        }
        if (!block.experts) block.experts = like_experts();
        Experts& experts = *block.experts;
        if (experts.width_in == 0) experts.width_in = d_.model.hidden;
        correct(experts.count, layer.experts, ConfigField::experts);
        correct(experts.width, rounded(down / static_cast<double>(layer.experts * experts.width_in)),
                ConfigField::expert_width);
        experts.matrices = std::max<Count>(1, rounded(total / down));
    }

    // Experts of a layer that was declared dense: as many active as in the others.
    Experts like_experts() const {
        for (const Block& block : d_.layers) {
            if (block.experts) return *block.experts;
        }
        return {};
    }

    void settle_shared(Block& block, const LayerSeen& layer) {
        const double total = layer.of(TensorPart::shared), down = layer.down_of(TensorPart::shared);
        // A network that runs beside routed experts is shared by all tokens, whatever it is called.
        const bool beside = block.experts && layer.down_of(TensorPart::dense) > 0.0;
        const double all = total + (beside ? layer.of(TensorPart::dense) : 0.0);
        const double all_down = down + (beside ? layer.down_of(TensorPart::dense) : 0.0);
        if (all_down <= 0.0) {
            block.shared.reset();
            return;
        }
        const Count width = rounded(all_down / static_cast<double>(d_.model.hidden));
        SharedExperts shared = block.shared.value_or(SharedExperts{1, 3, d_.model.hidden, width});
        if (shared.count * shared.width != width) {
            if (shared.width > 0 && width % shared.width == 0)
                shared.count = width / shared.width;
            else
                shared = SharedExperts{1, 3, d_.model.hidden, width};
        }
        shared.matrices = std::max<Count>(1, rounded(all / all_down));
        settled_.push_back({ConfigField::shared_width, shared.width});
        settled_.push_back({ConfigField::shared_experts, shared.count});
        block.shared = shared;
    }

    static bool has_gate(const LayerSeen& layer, TensorPart c) { return layer.of(c) > 2.5 * layer.down_of(c); }

    Count two_matrix_dense(const LayerSeen& layer) const {
        const double down = layer.down_of(TensorPart::dense);
        return down > 0.0 && !has_gate(layer, TensorPart::dense) ? rounded(layer.of(TensorPart::dense)) : 0;
    }

    void settle_dense(Block& block, const LayerSeen& layer) {
        const double down = layer.down_of(TensorPart::dense);
        if (block.experts || down <= 0.0) {
            block.dense_width = 0;
            return;
        }
        if (const Count params = two_matrix_dense(layer); params > 0) {
            block.dense_width = 0;
            block.extra_params = params;
            block.extra_what = "feed-forward network of two matrices";
            return;
        }
        const Count width = rounded(down / static_cast<double>(d_.model.hidden));
        settled_.push_back({ConfigField::ffn_width, width});
        correct(block.dense_width, width, ConfigField::dense_width);
    }

    // Layers are the tensors'; what they are made of follows the declared ones, else the model's own last layer.
    void settle_drafter() {
        const bool any =
            std::any_of(seen_.drafter.begin(), seen_.drafter.end(), [](const PartSum& p) { return p.tensors > 0; });
        if (!any) {
            d_.drafter.clear();
            d_.drafter_extra = 0;
            return;
        }
        std::vector<Block> templates = d_.drafter.empty() ? std::vector<Block>{last_full_layer()} : d_.drafter;
        d_.drafter.clear();
        for (const auto& [number, layer] : seen_.drafter_layers) {
            const auto at = std::min(static_cast<std::size_t>(number), templates.size() - 1);
            Block block = templates[at];
            block.layers.numbers = {static_cast<int>(d_.drafter.size())};
            block.phases = Phases::both;
            if (layer.of(TensorPart::attention) <= 0.0) block.attention.reset();
            settle_layer(block, layer);
            if (!block.attention && !block.experts && block.dense_width == 0) continue; // only a projection
            d_.drafter.push_back(block);
        }
        settled_.push_back({ConfigField::drafter_layers, static_cast<Count>(d_.drafter.size())});
        d_.drafter_extra = rounded(seen_.drafter_of(TensorPart::drafter).matrices);
        if (d_.drafter_extra_what.empty()) d_.drafter_extra_what = "projection of hidden state and embedding";
    }

    Block last_full_layer() const {
        for (auto block = d_.layers.rbegin(); block != d_.layers.rend(); ++block) {
            const bool keeps_all = block->attention && block->attention->kind != AttentionKind::linear;
            if (keeps_all) return *block;
        }
        return d_.layers.empty() ? Block{} : d_.layers.back();
    }

    void settle_tables() {
        const PartSum& sum = seen_.of(TensorPart::table);
        if (sum.tensors == 0 || seen_.table_rows < 1.0) {
            d_.model.tables.clear();
            return;
        }
        if (d_.model.tables.empty()) {
            warn("", fmt::format("{} tensors", sum.tensors), "a lookup table in the configuration",
                 "has lookup tables that the configuration does not describe: one row per table and token is assumed");
            d_.model.tables.push_back({"lookup table", 0, 0, sum.tensors, sum.tensors});
        }
        LookupTable& table = d_.model.tables.front();
        d_.model.tables.resize(1);
        table.rows = rounded(seen_.table_rows);
        table.row_params = rounded(sum.weights / seen_.table_rows);
    }

    void settle_conflicts() {
        std::vector<Conflict> open;
        for (const Conflict& c : d_.conflicts) {
            const auto decided = std::find_if(settled_.begin(), settled_.end(), [&](const Settled& s) {
                return s.field == c.field && (s.value == c.first_value || s.value == c.second_value);
            });
            if (decided == settled_.end()) {
                open.push_back(c);
                continue;
            }
            warn("/" + c.first, fmt::format("{} = {}, {} = {}", c.first, c.first_value, c.second, c.second_value),
                 fmt::format("{} by the tensors", decided->value),
                 fmt::format("states two different values for {}; the tensors decide", field_words(c.field)));
        }
        d_.conflicts = std::move(open);
    }

    struct Settled {
        ConfigField field;
        Count value;
    };

    Declared& d_;
    const Classified& seen_;
    Problems& warnings_;
    std::vector<Settled> settled_;
    std::vector<ConfigField> warned_;
};

} // namespace

void settle(Declared& declared, const Classified& seen, Problems& warnings) { Settler(declared, seen, warnings).run(); }

void raise_conflicts(const Declared& declared, Problems& problems) {
    for (const Conflict& c : declared.conflicts) {
        problems.push_back({declared.shown, "/" + c.first,
                            fmt::format("{} = {}, {} = {}", c.first, c.first_value, c.second, c.second_value),
                            "one value, or tensors that show which holds",
                            fmt::format("states two different values for {}", field_words(c.field))});
    }
}

} // namespace spillway
