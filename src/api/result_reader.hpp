#pragma once

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
[[nodiscard]] Comparison comparison_of(const results::Comparison& comparison);

}  // namespace tieline::api
