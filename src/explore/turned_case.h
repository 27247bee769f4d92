// A case of one's own whose one input is turned, again and again, with what has to move with it: forced placements
// replace each other, the down matrices keep their ratio to the other expert bits, memory that grows takes its capacity
// with it. In: Case and a path of --set. Out: the altered case, its estimate. The sizes of the model are computed once
// where the input cannot change them.
#pragma once

#include "engine/estimate.h"
#include "text/paths.h"

#include <optional>
#include <string>
#include <string_view>

namespace spillway {

// Whether a canonical path names an input that the sizes of a model and format follow from.
bool shapes_sizes(std::string_view path);

class TurnedCase {
public:
    // Without the measured alternatives. A path that leads to no number gives a case that cannot be turned.
    TurnedCase(const Case& c, std::string_view path);
    TurnedCase(const TurnedCase&) = delete;
    TurnedCase& operator=(const TurnedCase&) = delete;

    bool can_turn() const { return field_.has_value(); }
    const NumberField& field() const { return *field_; }
    std::optional<double> own_value() const; // empty: unknown, none or not forced

    // Needs can_turn(). The range is the caller's business.
    const Case& at(double value);
    Estimate estimate_at(double value);

private:
    void free_placement();

    Case case_;
    std::string path_;
    std::optional<NumberField> field_;
    std::optional<double> own_, own_down_;
    Bytes own_capacity_;
    std::optional<std::size_t> pool_;
    bool changes_sizes_ = false;
    Sizes sizes_;
};

} // namespace spillway
