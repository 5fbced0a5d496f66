#include "fmi/scalar_name.hpp"

#include <fmt/format.h>

namespace tieline::fmi {

std::string scalar_name(const Description& description, const Scalar& scalar) {
  const Variable& variable = description.variables[scalar.variable];
  if (variable.dimensions.empty()) return variable.name;
  std::string subscripts;
  std::uint64_t rest = scalar.element;
  for (auto dimension = variable.dimensions.rbegin(); dimension != variable.dimensions.rend(); ++dimension) {
    const std::uint64_t size = dimension->size > 0 ? dimension->size : 1;
    subscripts = fmt::format("{}{}{}", rest % size + 1, subscripts.empty() ? "" : ",", subscripts);
    rest /= size;
  }
  return fmt::format("{}[{}]", variable.name, subscripts);
}

}  // namespace tieline::fmi
