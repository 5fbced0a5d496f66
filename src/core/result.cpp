#include "core/result.hpp"

#include <cmath>
#include <fmt/format.h>

namespace tieline::core {

std::string Error::describe() const {
  std::string place;
  if (!component.empty()) place += fmt::format("component '{}'", component);
  if (!port.empty()) place += fmt::format("{}port '{}'", place.empty() ? "" : ", ", port);
  if (!std::isnan(time)) place += fmt::format("{}t = {:.9g} s", place.empty() ? "" : ", ", time);
  return place.empty() ? message : place + ": " + message;
}

}  // namespace tieline::core
