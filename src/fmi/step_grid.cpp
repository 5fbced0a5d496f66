#include "fmi/step_grid.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Roundings of stated numbers: a multiple counts as whole within this.
constexpr double kWhole = 1e-9;
// Steps that differ by more have no common measure worth the name.
constexpr double kLeastShare = 1e-5;
constexpr std::uint64_t kLongestTurn = 1U << 20U;

bool is_whole(double ratio) { return std::abs(ratio - std::round(ratio)) <= kWhole * std::max(1.0, std::abs(ratio)); }

double common_measure(double a, double b) {
  const double least = kLeastShare * std::min(a, b);
  while (b > least) {
    const double rest = a - b * std::round(a / b);
    a = b;
    b = std::abs(rest) <= kWhole * a ? 0.0 : std::abs(rest);
  }
  return b == 0.0 ? a : 0.0;
}

Error refuse(const StepRequest& request, std::string message) {
  return {.code = ErrorCode::bad_input, .message = std::move(message), .component = request.name};
}

Result<void> check(const StepRequest& request, double step, double duration) {
  if (request.internal_step > 0.0 && !is_whole(step / request.internal_step)) {
    const double fewer = std::floor(step / request.internal_step) * request.internal_step;
    return refuse(request,
                  fmt::format("the FMU has internal steps of {:.9g} s (fixedInternalStepSize), of which its step "
                              "of {:.9g} s is not a whole multiple; use {}{:.9g} s",
                              request.internal_step, step, fewer > 0.0 ? fmt::format("{:.9g} s or ", fewer) : "",
                              fewer + request.internal_step));
  }
  const double count = duration / step;
  if (request.is_constant && duration > 0.0 && !is_whole(count)) {
    const std::string longer = count >= 1.0 ? fmt::format("{:.9g} s or ", duration / std::floor(count)) : "";
    return refuse(request,
                  fmt::format("the FMU takes steps of one size only (canHandleVariableCommunicationStepSize), and "
                              "the run of {:.9g} s is not a whole number of its steps of {:.9g} s; use {}{:.9g} s",
                              duration, step, longer, duration / std::ceil(count)));
  }
  return {};
}

}  // namespace

Result<StepGrid> make_step_grid(const std::vector<StepRequest>& requests, double otherwise, double t0, double stop) {
  StepGrid grid{.t0 = t0, .stop = stop, .last = std::numeric_limits<std::int64_t>::max()};
  const double duration = stop > t0 ? stop - t0 : 0.0;
  double shortest = std::numeric_limits<double>::infinity();
  for (const StepRequest& request : requests) {
    if (request.step > 0.0) shortest = std::min(shortest, request.step);
  }
  if (std::isinf(shortest)) shortest = otherwise;
  for (const StepRequest& request : requests) {
    double step = request.step > 0.0 ? request.step : shortest;
    if (!(request.step > 0.0) && request.internal_step > 0.0) {
      step = std::max(1.0, std::round(step / request.internal_step)) * request.internal_step;
    }
    if (duration > 0.0 && !request.is_constant) step = std::min(step, duration);
    // What nobody has stated may as well fit the run.
    if (request.is_constant && !request.is_stated && duration > 0.0 && !is_whole(duration / step)) {
      step = duration / std::ceil(duration / step);
    }
    if (auto fits = check(request, step, duration); !fits) return fits.error();
    grid.steps.push_back(step);
  }
  grid.measure = grid.steps.front();
  for (std::size_t i = 1; i < grid.steps.size(); ++i) {
    const double measure = common_measure(std::max(grid.measure, grid.steps[i]), std::min(grid.measure, grid.steps[i]));
    if (!(measure > 0.0)) {
      return refuse(requests[i],
                    fmt::format("its step of {:.9g} s and those of the FMUs that signals connect it to ({:.9g} s of "
                                "'{}') have no common divisor; use steps of which one divides the "
                                "other",
                                grid.steps[i], grid.steps.front(), requests.front().name));
    }
    grid.measure = measure;
  }
  std::uint64_t turn = 1;
  for (const double step : grid.steps) {
    grid.every.push_back(static_cast<std::uint32_t>(std::llround(step / grid.measure)));
    turn = std::lcm(turn, std::uint64_t{grid.every.back()});
    if (turn > kLongestTurn) {
      return refuse(requests.front(),
                    "the steps of the FMUs that signals connect meet too seldom; use steps of which one "
                    "divides the other");
    }
  }
  grid.turn = static_cast<std::uint32_t>(turn);
  // One step as it is stated, so that points are t0 + k h without a rounding more.
  const auto shortest_at = std::min_element(grid.every.begin(), grid.every.end());
  const auto at = static_cast<std::size_t>(shortest_at - grid.every.begin());
  grid.measure = grid.steps[at] / static_cast<double>(*shortest_at);
  if (duration > 0.0) {
    const double points = duration / grid.measure;
    grid.last = static_cast<std::int64_t>(is_whole(points) ? std::round(points) : std::ceil(points));
  }
  return grid;
}

}  // namespace tieline::fmi
