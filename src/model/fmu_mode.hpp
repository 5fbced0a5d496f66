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

// Settings of an FMU that is run alone, which become attributes and elements of the model that it is read as.
inline constexpr std::string_view kFmuInputSetting = "Fmu.input";  ///< a file of rows
/// "column, variable", each as core::quoted_if_needed writes it; repeatable
inline constexpr std::string_view kFmuMapSetting = "Fmu.map";
inline constexpr std::string_view kFmuStepSetting = "Fmu.step";                      ///< [s]
inline constexpr std::string_view kFmuToleranceSetting = "Fmu.tolerance";              ///< relative
inline constexpr std::string_view kFmuSolverSetting = "Fmu.solver";                  ///< of model exchange
inline constexpr std::string_view kFmuWriteIntervalSetting = "Fmu.write_interval";   ///< [s]
/// "outputs", "all", "none", or a pattern of variable names; patterns are repeatable
inline constexpr std::string_view kFmuRecordSetting = "Fmu.record";

}  // namespace tieline::model
