#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "document/diagnostics.hpp"
#include "interchange/ssp_structure.hpp"

/// Where values come from: parameters through the bindings around a component, signals through the connectors of
/// systems and through dictionaries.
namespace tieline::interchange::ssp {

/// A start value of a variable of an FMU.
struct Start {
  std::string variable{};
  std::vector<std::string> texts{};
  document::Place place{};
};

/// From a variable of an FMU to another one, or to a connector of the root.
struct Route {
  const Part* source = nullptr;   ///< null: it comes from an input of the root
  std::string source_variable{};  ///< or the connector of the root; "a[2]" for one element
  const Part* sink = nullptr;     ///< null: it goes to an output of the root
  std::string sink_variable{};
  Transformation transformation{};
  std::size_t size = 1;  ///< numbers
  document::Place place{};
  /// Connectors of systems that it passes, by which they may be named.
  std::map<const System*, std::string> passed{};
};

struct Routes {
  std::unordered_map<const Part*, std::vector<Start>> starts{};
  std::vector<Route> routes{};
};

/// Works out all of them. What is left over or contradicts itself is reported.
[[nodiscard]] Routes find_routes(const Part& root, document::Diagnostics& diagnostics);

}  // namespace tieline::interchange::ssp
