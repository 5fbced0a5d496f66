#include "rail/ride.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tieline/rail.hpp"

#include "api/errors.hpp"
#include "api/result_reader.hpp"
#include "rail/wheel_forces.hpp"

namespace tieline {
namespace {

/// A variable of a part of a run.
results::Series part_of(const Results& results, const std::string& name, const RideOptions& options) {
  const results::ResultReader& reader = api::reader_of(results);
  return api::finite_part(reader, api::or_unknown(reader.find(name)).name, options.from, options.to);
}

template <class T>
T of_variable(core::Result<T>&& result, const std::string& name) {
  if (!result) throw std::out_of_range(fmt::format("{}: {}", name, result.error().describe()));
  return std::move(result).value();
}

/// Accelerations at equal times.
signals::Samples accelerations_of(const results::Series& series) {
  if (series.unit != "m/s^2" && series.unit != "m/s") {
    throw std::out_of_range(
        fmt::format("'{}' is in [{}]: a ride is judged by an acceleration [m/s^2] or a velocity [m/s]", series.name,
                    series.unit.empty() ? "1" : series.unit));
  }
  auto samples = of_variable(signals::at_equal_times(series.times, series.values), series.name);
  return series.unit == "m/s" ? rail::derivative_of(samples) : samples;
}

RideAxis axis_of(const results::Series& series, rail::Direction direction, const RideOptions& options) {
  const signals::Samples samples = accelerations_of(series);
  const rail::Weighting weighting = rail::weighting_of(direction);
  const rail::Comfort comfort = rail::comfort_of(samples, weighting);
  const auto index = of_variable(rail::sperling_index(samples, direction, {.segment = options.segment}), series.name);
  return {.direction = std::string(rail::kDirectionNames[static_cast<std::size_t>(direction)]),
          .variable = series.name,
          .weighting = std::string(rail::kWeightingNames[static_cast<std::size_t>(weighting)]),
          .rms = comfort.rms,
          .largest_running_rms = comfort.largest_running_rms,
          .running_time = comfort.running_time,
          .dose = comfort.dose,
          .crest_factor = comfort.crest_factor,
          .sperling = index.value,
          .largest_sperling = index.largest,
          .leading_frequency = index.leading_frequency,
          .segments = index.segments,
          .segment = index.segment,
          .grade = std::string(rail::grade_of(index.value))};
}

RideWheelSafety safety_of(const Results& results, const RideWheel& wheel, const RideOptions& options) {
  const results::Series lateral = part_of(results, wheel.lateral, options);
  const results::Series vertical = part_of(results, wheel.vertical, options);
  for (const results::Series* series : {&lateral, &vertical}) {
    if (series->unit == "N") continue;
    throw std::out_of_range(fmt::format("'{}' is in [{}]: forces on wheels are in [N]", series->name,
                                        series->unit.empty() ? "1" : series->unit));
  }
  if (lateral.times != vertical.times) {
    throw std::out_of_range(fmt::format("wheel '{}': '{}' and '{}' are not recorded at the same times", wheel.name,
                                        lateral.name, vertical.name));
  }
  const auto safety = of_variable(rail::wheel_safety(lateral.times, lateral.values, vertical.values,
                                                     {.static_load = options.static_load.value_or(0.0),
                                                      .averaging_length = options.averaging_length,
                                                      .speed = options.speed.value_or(0.0)}),
                                  "wheel '" + wheel.name + "'");
  return {.name = wheel.name,
          .static_load = safety.static_load,
          .largest_quotient = safety.largest_quotient,
          .quotient_time = safety.quotient_time,
          .averaging_time = safety.averaging_time,
          .least_load = safety.least_load,
          .load_time = safety.load_time,
          .largest_load = safety.largest_load,
          .largest_unloading = safety.largest_unloading,
          .largest_lateral = safety.largest_lateral,
          .time_without_load = safety.time_without_load};
}

void check_options(const RideOptions& options) {
  std::vector<std::string> problems;
  if (options.longitudinal.empty() && options.lateral.empty() && options.vertical.empty() && options.wheels.empty()) {
    problems.emplace_back("there is nothing to judge: state an acceleration or the forces on a wheel");
  }
  const auto check = [&](const char* what, std::optional<double> value, const char* unit) {
    if (value && !(std::isfinite(*value) && *value > 0.0)) {
      problems.push_back(fmt::format("{} must be greater than 0 {}, got {:g}", what, unit, *value));
    }
  };
  check("the segment", options.segment, "s");
  check("the speed", options.speed, "m/s");
  check("the length over which Y/Q is averaged", options.averaging_length, "m");
  check("the static load", options.static_load, "N");
  if (options.flange_angle.has_value() != options.friction.has_value()) {
    problems.emplace_back("Nadal's limit needs both the angle of the flange and the friction");
  }
  if (options.flange_angle && !(*options.flange_angle > 0.0 && *options.flange_angle < 1.5707963)) {
    problems.push_back(
        fmt::format("the angle of the flange must be between 0 and pi/2 rad, got {:g}", *options.flange_angle));
  }
  if (options.friction && !(*options.friction >= 0.0 && std::isfinite(*options.friction))) {
    problems.push_back(fmt::format("the friction must be 0 or greater, got {:g}", *options.friction));
  }
  if (!problems.empty()) api::throw_problems(problems);
}

}  // namespace

RideReport ride(const Results& results, const RideOptions& options) {
  check_options(options);
  RideReport report;
  double sum = 0.0;
  const std::array<const std::string*, 3> names{&options.longitudinal, &options.lateral, &options.vertical};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i]->empty()) continue;
    report.axes.push_back(axis_of(part_of(results, *names[i], options), static_cast<rail::Direction>(i), options));
    sum += report.axes.back().rms * report.axes.back().rms;
  }
  report.total = std::sqrt(sum);
  if (!report.axes.empty()) report.reaction = rail::reaction_to(report.total);
  for (const RideWheel& wheel : options.wheels) report.wheels.push_back(safety_of(results, wheel, options));
  if (options.flange_angle) report.nadal_limit = rail::nadal_limit(*options.flange_angle, *options.friction);
  return report;
}

std::string ride_json(const RideReport& report) {
  nlohmann::json json{{"axes", nlohmann::json::array()}, {"wheels", nlohmann::json::array()}};
  for (const RideAxis& axis : report.axes) {
    json["axes"].push_back({{"direction", axis.direction},
                            {"variable", axis.variable},
                            {"weighting", axis.weighting},
                            {"rms", axis.rms},
                            {"largest_running_rms", axis.largest_running_rms},
                            {"running_time", axis.running_time},
                            {"dose", axis.dose},
                            {"crest_factor", axis.crest_factor},
                            {"sperling", axis.sperling},
                            {"largest_sperling", axis.largest_sperling},
                            {"leading_frequency", axis.leading_frequency},
                            {"segments", axis.segments},
                            {"segment", axis.segment},
                            {"grade", axis.grade}});
  }
  if (!report.axes.empty()) json["total"] = report.total, json["reaction"] = report.reaction;
  for (const RideWheelSafety& wheel : report.wheels) {
    // An infinite quotient, which JSON has no number for, becomes null.
    json["wheels"].push_back({{"name", wheel.name},
                              {"static_load", wheel.static_load},
                              {"largest_quotient", wheel.largest_quotient},
                              {"quotient_time", wheel.quotient_time},
                              {"averaging_time", wheel.averaging_time},
                              {"least_load", wheel.least_load},
                              {"load_time", wheel.load_time},
                              {"largest_load", wheel.largest_load},
                              {"largest_unloading", wheel.largest_unloading},
                              {"largest_lateral", wheel.largest_lateral},
                              {"time_without_load", wheel.time_without_load}});
  }
  if (report.nadal_limit) json["nadal_limit"] = *report.nadal_limit;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tieline
