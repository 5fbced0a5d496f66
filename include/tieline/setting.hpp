#pragma once

#include <string>

namespace tieline {

/// Overrides a parameter of a model: "k", "left.m" (a component's) or "sub.arm.m" (inside a nested model). The value is
/// a number or an {expression}.
struct Setting {
  std::string name{};
  std::string value{};
};

}  // namespace tieline
