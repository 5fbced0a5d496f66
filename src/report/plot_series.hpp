#pragma once

#include <optional>

#include "report/figure.hpp"
#include "results/reader.hpp"

namespace tieline::report {

/// The part of a series between two times [s], with values joined linearly at both of them. Empty if it has none.
[[nodiscard]] results::Series part_of(const results::Series& series, std::optional<double> from,
                                      std::optional<double> to);

/// b less a where both have values, at the times of both, joined linearly between their own.
[[nodiscard]] results::Series difference_of(const results::Series& b, const results::Series& a);

/// Values of a series at the times of another, joined linearly; NaN outside. Where the other has two sides of a break,
/// the sides of this one, too.
[[nodiscard]] std::vector<double> values_at(const results::Series& series, const std::vector<double>& times);

/// Whether these are counts, as of corrections in a step: whole numbers of unit "1".
[[nodiscard]] bool is_count(const results::Series& series);

/// A count as steps: each value from the time before its own on, since it counts what has happened since then.
[[nodiscard]] results::Series steps_of(const results::Series& series);

}  // namespace tieline::report
