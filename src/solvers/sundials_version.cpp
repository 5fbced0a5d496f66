#include <array>
#include <sundials/sundials_version.h>

#include "solvers/stepper.hpp"

namespace tieline::solvers {

std::string sundials_version() {
  std::array<char, 32> text{};
  if (SUNDIALSGetVersion(text.data(), static_cast<int>(text.size())) != 0) return "unknown";
  return text.data();
}

}  // namespace tieline::solvers
