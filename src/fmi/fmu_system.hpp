#pragma once

#include <cstddef>
#include <vector>

#include "core/interface_set.hpp"
#include "core/recording.hpp"
#include "core/relation.hpp"
#include "core/statistics.hpp"
#include "fmi/fmu_spec.hpp"

namespace tieline::fmi {

/// A signal from one FMU of a system to another, without delay: one number of an output to one of an input.
struct SignalLink {
  std::size_t from_part = 0, from_interface = 0, from_number = 0;
  std::size_t to_part = 0, to_interface = 0, to_number = 0;
  core::Relation relation{};
};

/// Several FMUs that are computed together: what of the whole belongs to each of them.
class FmuSystem {
 public:
  virtual ~FmuSystem() = default;
  /// Those of all FMUs, one after the other.
  [[nodiscard]] virtual core::InterfaceSet& interfaces() = 0;
  [[nodiscard]] virtual std::size_t part_count() const = 0;
  [[nodiscard]] virtual std::size_t first_interface(std::size_t part) const = 0;  ///< and one behind the last
  [[nodiscard]] virtual const FmuSpec& spec_of(std::size_t part) const = 0;
  /// Counters of a part alone: its steps and events, where each part takes steps of its own.
  [[nodiscard]] virtual core::Statistics own_statistics(std::size_t part) const = 0;
  /// Of all interfaces, part by part, then all recorded variables, part by part.
  [[nodiscard]] virtual std::vector<core::Column> system_columns() const = 0;
};

}  // namespace tieline::fmi
