#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace tieline::fmi {

/// What is known of the steps of one FMU.
struct StepRequest {
  std::string name{};
  double step = 0.0;           ///< as stated, or as its vendor suggests [s]; 0: any
  bool is_stated = false;      ///< the model states it: it is not changed
  bool is_constant = false;    ///< all its steps must be equal
  double internal_step = 0.0;  ///< of which its steps are whole multiples [s]; 0: of none
};

/// The communication points of a system: t0 + k times a common measure of all steps, up to the stop, where the last
/// steps are cut.
struct StepGrid {
  double t0 = 0.0, stop = 0.0;         ///< [s]
  double measure = 0.0;                ///< [s]
  std::int64_t last = 0;               ///< point at the stop
  std::vector<std::uint32_t> every{};  ///< by FMU: its steps as multiples of the measure
  std::vector<double> steps{};         ///< by FMU [s]
  std::uint32_t turn = 1;              ///< points after which all are due again

  [[nodiscard]] double time(std::int64_t point) const {
    return point >= last ? stop : t0 + static_cast<double>(point) * measure;
  }
  [[nodiscard]] bool is_due(std::size_t fmu, std::int64_t point) const {
    return point >= last || point % every[fmu] == 0;
  }
};

/// Finds the grid; who states no step takes the shortest that another one has, or `otherwise`. An error names what does
/// not fit, with what would.
[[nodiscard]] core::Result<StepGrid> make_step_grid(const std::vector<StepRequest>& requests, double otherwise,
                                                    double t0, double stop);

}  // namespace tieline::fmi
