#pragma once

#include <optional>
#include <string>

#include "tieline/results.hpp"

#include "results/compare.hpp"
#include "results/reader.hpp"

namespace tieline {

class Results::Impl {
 public:
  explicit Impl(results::ResultReader opened);

  results::ResultReader reader;
  std::vector<TableInfo> tables{};
};

}  // namespace tieline

namespace tieline::api {

[[nodiscard]] inline const results::ResultReader& reader_of(const Results& results) { return results.impl().reader; }
/// The values of a variable, of its full name, between two times [s]. Throws FileError, and std::out_of_range where a
/// value is not a number.
[[nodiscard]] results::Series finite_part(const results::ResultReader& reader, const std::string& name,
                                          std::optional<double> from, std::optional<double> to);
[[nodiscard]] Comparison comparison_of(const results::Comparison& comparison);

}  // namespace tieline::api
