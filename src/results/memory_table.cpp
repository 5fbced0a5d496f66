#include "results/memory_table.hpp"

namespace tieline::results {

void MemoryTable::row(double t, std::span<const double> values) {
  times_.push_back(t);
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i].push_back(values[i]);
}

}  // namespace tieline::results
