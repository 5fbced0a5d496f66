#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/units.hpp"
#include "fmi/description.hpp"
#include "fmi/fmu_reader.hpp"
#include "fmi/interface_map.hpp"

namespace tieline::fmi {

/// Finds the variables that make up declared interfaces: by an explicit map, by a terminal of the interface's name, or
/// by names: the interface's name, a point or an underscore, and a quantity's name or one of its usual short forms.
///
/// Every problem is reported with the place of the declaration. One after the other; not for several threads.
class InterfaceFinder {
 public:
  InterfaceFinder(const Description& description, document::Diagnostics& diagnostics)
      : description_(description), diagnostics_(diagnostics) {}

  [[nodiscard]] std::optional<InterfaceMap> find(const InterfaceRequest& request);
  /// Whether an interface that was found uses the variable.
  [[nodiscard]] bool uses(std::uint32_t variable) const { return used_.contains(variable); }

 private:
  using Found = std::map<std::string, std::vector<Scalar>, std::less<>>;  ///< by quantity

  [[nodiscard]] Found by_map(const InterfaceRequest& request);
  [[nodiscard]] Found by_terminal(const InterfaceRequest& request, const Terminal& terminal) const;
  [[nodiscard]] Found by_names(const InterfaceRequest& request) const;
  [[nodiscard]] std::vector<Scalar> scalars(const std::string& names, const InterfaceRequest& request,
                                            std::string_view quantity);
  [[nodiscard]] std::optional<InterfaceMap> assembled(const InterfaceRequest& request, Found found);
  [[nodiscard]] std::optional<InterfaceMap> signal(const InterfaceRequest& request, const Found& found);
  bool check(const InterfaceRequest& request, const InterfaceMap& map);
  /// Finds how the numbers of the interface follow from those of the FMU: by the units that the FMU states, and the
  /// sign and the offset that the map does.
  bool relate(const InterfaceRequest& request, InterfaceMap& map);
  [[nodiscard]] std::optional<document::Unit> unit_of(const Variable& variable) const;
  void complain(const InterfaceRequest& request, const std::string& text);

  const Description& description_;
  document::Diagnostics& diagnostics_;
  std::set<std::uint32_t> used_;
};

}  // namespace tieline::fmi
