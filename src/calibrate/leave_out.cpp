#include "calibrate/leave_out.h"

#include "calibrate/forward.h"

#include <algorithm>
#include <set>
#include <utility>

namespace spillway {

namespace {

void set_all(Observation& row, const Fit& f) {
    for (const FittedTerm& term : f.terms) {
        for (const std::string& leaf : leaves_of(row.value, term.parameter.path))
            number_field(row.value, leaf)->set(term.value);
    }
}

Fold fold(const std::vector<Observation>& rows, const Fit& whole, Label by, const std::string& left_out) {
    std::vector<Observation> seen, unseen;
    for (const Observation& row : rows) (row.label(by) == left_out ? unseen : seen).push_back(row);
    std::vector<Parameter> parameters;
    for (const FittedTerm& term : whole.terms) parameters.push_back(term.parameter);
    const Fit f = fit(seen, parameters, {whole.asked});
    Fold result{left_out, {}, {}};
    for (Observation& row : unseen) {
        set_all(row, f);
        result.residuals.push_back(log_ratio(row));
    }
    for (const FittedTerm& term : f.terms) result.values.push_back(term.value);
    return result;
}

} // namespace

CrossValidation leave_out(const std::vector<Observation>& rows, const Fit& whole, Label by) {
    CrossValidation v;
    v.by = by;
    v.before = error_summary(whole.start_residuals);
    v.inside = error_summary(whole.residuals);
    std::set<std::string> values;
    for (const Observation& row : rows) values.insert(row.label(by));
    if (values.size() < 2) return v;
    std::vector<double> outside;
    for (const FittedTerm& term : whole.terms) v.range.emplace_back(term.value, term.value);
    for (const std::string& value : values) {
        v.folds.push_back(fold(rows, whole, by, value));
        const Fold& last = v.folds.back();
        outside.insert(outside.end(), last.residuals.begin(), last.residuals.end());
        for (std::size_t i = 0; i < last.values.size(); ++i) {
            v.range[i].first = std::min(v.range[i].first, last.values[i]);
            v.range[i].second = std::max(v.range[i].second, last.values[i]);
        }
    }
    v.outside = error_summary(outside);
    return v;
}

} // namespace spillway
