#include "core/component.hpp"

#include "core/equilibrium.hpp"

namespace tieline::core {

Result<std::vector<Tie>> Component::ties() { return std::vector<Tie>{}; }

}  // namespace tieline::core
