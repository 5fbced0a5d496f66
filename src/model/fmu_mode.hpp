#pragma once

#include <string_view>

namespace tieline::model {

/// As in kind="...": an FMU of FMI 1.0, 2.0 or 3.0.
inline constexpr std::string_view kFmuKind = "fmu";
/// "--set component.Fmu.mode=...": the same as <Fmu mode="..."/>.
inline constexpr std::string_view kModeSetting = "Fmu.mode";
/// Who solves an FMU's equations: itself, or one of our solvers.
inline constexpr std::string_view kCoSimulation = "co_simulation";
inline constexpr std::string_view kModelExchange = "model_exchange";

}  // namespace tieline::model
