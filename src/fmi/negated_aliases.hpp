#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tieline::fmi {

/// Variables of FMI 1.0 that are another one with the sign turned (or, for Booleans, its opposite), under the value
/// reference of the other. Here they have references of their own, one after the other from `first`, so that nothing
/// but the calls of the FMU need know of them.
struct NegatedAliases {
  std::uint32_t first = 0;
  std::vector<std::uint32_t> references{};  ///< of the FMU, by place

  [[nodiscard]] bool holds(std::uint32_t reference) const { return reference - first < references.size(); }
  /// The FMU's own reference.
  [[nodiscard]] std::uint32_t own(std::uint32_t reference) const {
    return holds(reference) ? references[reference - first] : reference;
  }
};

}  // namespace tieline::fmi
