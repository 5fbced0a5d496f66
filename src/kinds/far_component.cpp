#include "kinds/far_component.hpp"

#include <algorithm>
#include <limits>

namespace tieline::kinds {

FarComponent::FarComponent(std::string name, std::vector<core::InterfaceShape> shapes,
                           std::vector<core::Column> columns, core::Capabilities capabilities)
    : Component(std::move(name)),
      set_(std::move(shapes)),
      columns_(std::move(columns)),
      capabilities_(std::move(capabilities)) {}

core::Error FarComponent::elsewhere() const {
  return {.code = core::ErrorCode::unsupported, .message = "it is computed by another process", .component = name()};
}

void FarComponent::current_values(std::span<double> values) {
  std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace tieline::kinds
