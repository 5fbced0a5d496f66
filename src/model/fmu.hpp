#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/scope.hpp"
#include "document/xml.hpp"

namespace tieline::model {

/// As in kind="...": an FMU of FMI 2.0 or 3.0.
inline constexpr std::string_view kFmuKind = "fmu";

/// A value that a variable of an FMU starts with: <Start>, or the command line's.
struct StartValue {
  std::string variable{};
  std::string text{};
  std::optional<double> number{};  ///< where the text is an expression
  document::Place place{};
};

/// <Fmu> and <Start> of a component of that kind.
struct FmuOptions {
  std::string mode{};      ///< "co_simulation" or "model_exchange"; empty: what the FMU offers
  std::string scheme{};    ///< of steps; empty: automatic
  std::string record{};    ///< "outputs", "all" or "none"; empty: outputs
  std::string schedule{};  ///< "jacobi" or "gauss_seidel"; empty: what those say that it is stepped with
  std::string inputs{};    ///< "hold" or "linear"; empty: hold
  std::optional<double> effective_mass{};
  bool is_logging = false;
  bool is_visible = false;
  std::vector<StartValue> starts{};
};

/// What the elements that describe a component state, the nearest first.
[[nodiscard]] FmuOptions read_fmu_options(const std::vector<document::Element>& statements,
                                          const document::Scope& scope, document::Diagnostics& diagnostics);

/// The attributes of <Map>, by name; empty where there is none.
[[nodiscard]] std::map<std::string, std::string> read_map(const document::Element& interface,
                                                          const document::Scope& scope,
                                                          document::Diagnostics& diagnostics);

}  // namespace tieline::model
