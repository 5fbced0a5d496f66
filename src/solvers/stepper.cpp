#include "solvers/stepper.hpp"

#include <array>

#include "solvers/cvode_stepper.hpp"
#include "solvers/dopri5.hpp"
#include "solvers/ida_stepper.hpp"
#include "solvers/radau5.hpp"
#include "solvers/rk4.hpp"
#include "solvers/zhai.hpp"

namespace tieline::solvers {
namespace {

/// In the order of Method.
constexpr std::array<std::string_view, 7> kNames{"dopri5", "radau5", "rk4", "zhai", "cvode-bdf", "cvode-adams", "ida"};

}  // namespace

std::optional<Method> method_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Method>(i);
  }
  return std::nullopt;
}

std::string_view name_of(Method method) { return kNames[static_cast<std::size_t>(method)]; }

bool is_multistep(Method method) {
  return method == Method::cvode_bdf || method == Method::cvode_adams || method == Method::ida;
}

bool has_fixed_step(Method method) { return method == Method::rk4 || method == Method::zhai; }

bool is_implicit(Method method) {
  return method == Method::radau5 || method == Method::cvode_bdf || method == Method::ida;
}

std::span<const std::string_view> all_method_names() { return kNames; }

std::unique_ptr<Stepper> make_stepper(Method method, OdeSystem& system, const StepperOptions& options) {
  switch (method) {
    case Method::dopri5:
      return std::make_unique<OneStepStepper<Dopri5Kernel>>(system, options);
    case Method::radau5:
      return std::make_unique<OneStepStepper<Radau5Kernel>>(system, options);
    case Method::rk4:
      return std::make_unique<OneStepStepper<Rk4Kernel>>(system, options);
    case Method::zhai:
      return std::make_unique<OneStepStepper<ZhaiKernel>>(system, options);
    case Method::cvode_bdf:
      return std::make_unique<CvodeStepper>(CvodeStepper::Family::bdf, system, options);
    case Method::cvode_adams:
      return std::make_unique<CvodeStepper>(CvodeStepper::Family::adams, system, options);
    case Method::ida:
      return std::make_unique<IdaStepper>(system, options);
  }
  return nullptr;
}

}  // namespace tieline::solvers
