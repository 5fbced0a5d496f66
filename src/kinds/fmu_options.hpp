#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/composite_model.hpp"
#include "model/grammar.hpp"

namespace tieline::kinds {

/// A value that a variable of an FMU starts with: <Start>, or the command line's.
struct StartValue {
  std::string variable{};
  std::string text{};
  std::optional<double> number{};  ///< where the text is an expression
  document::Place place{};
};

/// <Fmu>, <Start> and <Map> of a component of kind `fmu`.
struct FmuOptions final : model::KindOptions {
  using Map = std::map<std::string, std::string>;  ///< variables by quantity

  std::string mode{};      ///< "co_simulation" or "model_exchange"; empty: what the FMU offers
  std::string scheme{};    ///< of steps; empty: automatic
  std::string record{};    ///< "outputs", "all" or "none"; empty: outputs
  std::string schedule{};  ///< "jacobi" or "gauss_seidel"; empty: what those say that it is stepped with
  std::string inputs{};    ///< "hold" or "linear"; empty: hold
  std::string start{};     ///< "equilibrium" or "as_stated"; empty: as_stated
  std::optional<double> effective_mass{};  ///< [kg], [kg m^2]
  bool is_logging = false;
  bool is_visible = false;
  std::vector<StartValue> starts{};
  std::map<std::string, Map, std::less<>> maps{};  ///< of its declared interfaces, by name

  [[nodiscard]] const Map& map_of(std::string_view interface) const;
  [[nodiscard]] std::string elements() const override;
  [[nodiscard]] std::string elements_of(std::string_view interface) const override;
};

/// The rules of <Fmu>, <Start> and <Map>.
[[nodiscard]] std::vector<model::OwnElement> fmu_elements();

[[nodiscard]] std::shared_ptr<const model::KindOptions> read_fmu_options(const model::OptionsRequest& request);

}  // namespace tieline::kinds
