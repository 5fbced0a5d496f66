#pragma once

#include <limits>
#include <string>
#include <vector>

namespace tieline::core {

/// A fact that a component adds to the report.
struct Fact {
  std::string name{};
  std::string text{};
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN if the text counts
  bool is_warning = false;                                  ///< the text is one: the result may not be trusted
};

/// Work that prescribed forces and motions have done on a component which reports no energies.
inline constexpr const char* kPrescribedWork = "work of prescribed ends [J]";

/// A component that reports more about a run than its statistics.
class FactSource {
 public:
  virtual ~FactSource() = default;
  [[nodiscard]] virtual std::vector<Fact> facts() const = 0;
};

}  // namespace tieline::core
