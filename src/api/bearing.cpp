#include "tieline/bearing.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "tieline/program.hpp"

#include "api/bearing_types.hpp"
#include "api/errors.hpp"
#include "bearings/catalogue.hpp"
#include "bearings/life.hpp"
#include "bearings/passing.hpp"
#include "bearings/stiffness_bearing.hpp"
#include "report/polar_plot.hpp"

namespace tieline {
namespace {

namespace fs = std::filesystem;

bearings::Vector5 vector_of(const std::array<double, 5>& numbers) { return bearings::Vector5(numbers.data()); }

std::array<double, 5> numbers_of(const bearings::Vector5& vector) {
  std::array<double, 5> numbers{};
  std::copy(vector.data(), vector.data() + 5, numbers.begin());
  return numbers;
}

std::array<std::array<double, 5>, 5> rows_of(const bearings::Matrix5& matrix) {
  std::array<std::array<double, 5>, 5> rows{};
  for (int i = 0; i < 5; ++i) rows[static_cast<std::size_t>(i)] = numbers_of(matrix.row(i).transpose());
  return rows;
}

/// A bearing that can be used; ModelError otherwise.
bearings::Bearing sound(const BallBearing& bearing) {
  const bearings::Bearing inner = api::inner_bearing(bearing);
  document::Diagnostics diagnostics;
  if (!bearings::report_problems(inner, {bearing.name, 0, 0}, diagnostics)) api::throw_model_error(diagnostics);
  return inner;
}

bearings::Rotation rotation_of(const BearingLoad& load) {
  return {load.speed, static_cast<bearings::RaceControl>(load.control)};
}

/// Mean contact angle of one ring and the other, weighted by loads; nothing without load.
std::optional<double> mean_angle(const std::vector<bearings::LoadedBall>& balls) {
  double sum = 0.0, weight = 0.0;
  for (const bearings::LoadedBall& ball : balls) {
    const auto& b = ball.balance;
    if (!(b.inner_load > 0.0)) continue;
    sum += b.inner_load * std::abs(b.inner_angle) + b.outer_load * std::abs(b.outer_angle);
    weight += b.inner_load + b.outer_load;
  }
  return weight > 0.0 ? std::optional(sum / weight) : std::nullopt;
}

BearingLife life_of(const bearings::Bearing& bearing, const bearings::LoadedBearing& loaded, double speed) {
  const bearings::LoadRatings ratings = bearings::load_ratings(bearing);
  const auto p = bearings::equivalent_load(bearing, std::hypot(loaded.load[1], loaded.load[2]), loaded.load[0]);
  const auto basic = bearings::basic_life(ratings.dynamic, p.load, speed);
  const auto reference = bearings::reference_life(bearing, loaded, speed);
  return {ratings.dynamic,
          ratings.fixed,
          p.load,
          basic.turns,
          basic.hours,
          reference.inner_rating,
          reference.outer_rating,
          reference.inner_load,
          reference.outer_load,
          reference.life.turns,
          reference.life.hours};
}

BearingState state_of(const bearings::Bearing& bearing, const bearings::LoadedBearing& loaded, double speed) {
  BearingState state;
  state.displacement = numbers_of(loaded.displacement);
  state.load = numbers_of(loaded.load);
  state.stiffness = rows_of(loaded.stiffness);
  const bearings::DerivedGeometry g = bearings::derive(bearing);
  for (const bearings::LoadedBall& ball : loaded.balls) {
    const bearings::BallBalance& b = ball.balance;
    state.balls.push_back({ball.row, ball.angle, api::contact_of(g.inner_contact, ball.inner),
                           api::contact_of(g.outer_contact, ball.outer), b.inner_angle, b.outer_angle,
                           b.centrifugal_force, b.gyroscopic_moment, b.orbit_speed, b.spin_speed, ball.is_cut});
  }
  state.contact_angle = mean_angle(loaded.balls).value_or(g.free_contact_angle);
  state.frequencies = api::frequencies_of(bearings::passing_frequencies(bearing, speed, state.contact_angle));
  state.life = life_of(bearing, loaded, speed);
  state.warnings = loaded.warnings;
  return state;
}

/// The <Bearing> of a file; of a library the one that is named, or the only one.
bearings::Bearing read_bearing_file(const fs::path& file, const std::string& name, const bearings::Catalogue& catalogue,
                                    document::Diagnostics& diagnostics) {
  const auto document = document::Document::load(file, diagnostics);
  if (!document) api::throw_model_error(diagnostics);
  const document::Element root = document->root();
  if (root.name() == "Bearing") {
    auto bearing = bearings::read_bearing(root, catalogue, diagnostics);
    if (!bearing) api::throw_model_error(diagnostics);
    return *std::move(bearing);
  }
  bearings::Catalogue with_own = catalogue;  // which may be the types of its own
  if (root.name() == "Library") {
    with_own.add(root, file, diagnostics);
  } else {
    diagnostics.error(root.place(), fmt::format("expected <Bearing> or <Library>, found <{}>", root.name()));
  }
  if (diagnostics.has_errors()) api::throw_model_error(diagnostics);
  std::vector<std::string> names;
  for (const document::Element& element : root.children("Bearing")) names.push_back(element.get("name"));
  const std::string& wanted = name.empty() && names.size() == 1 ? names.front() : name;
  if (std::find(names.begin(), names.end(), wanted) != names.end()) return with_own.find(wanted)->bearing;
  diagnostics.error({file.string(), 0, 0},
                    name.empty() ? fmt::format("this library has {} bearings: name one as {}:NAME ({})", names.size(),
                                               file.string(), fmt::join(names, ", "))
                                 : fmt::format("there is no bearing '{}'{}", name, document::suggestion(name, names)));
  api::throw_model_error(diagnostics);
}

}  // namespace

std::vector<BearingInfo> list_bearings() {
  const auto catalogue = bearings::Catalogue::installed();
  std::vector<BearingInfo> list;
  for (const auto& entry : catalogue.entries()) list.push_back({api::outer_bearing(entry.bearing), entry.file});
  return list;
}

BallBearing find_bearing(const std::string& type, const std::vector<Setting>& settings) {
  document::Diagnostics diagnostics;
  const auto catalogue = bearings::Catalogue::installed();
  bearings::Bearing bearing;
  const std::size_t end = type.find(".xml");
  if (end != std::string::npos && (end + 4 == type.size() || type[end + 4] == ':')) {
    const std::string name = end + 4 == type.size() ? "" : type.substr(end + 5);
    bearing = read_bearing_file(type.substr(0, end + 4), name, catalogue, diagnostics);
  } else if (const auto* entry = catalogue.find(type)) {
    bearing = entry->bearing;
  } else {
    catalogue.report_missing(type, {}, "; `tieline bearing --list` lists all, and a file (.xml) describes others",
                             diagnostics);
    api::throw_model_error(diagnostics);
  }
  for (const Setting& setting : settings) {
    bearings::set_attribute(setting.name, setting.value, {"--set " + setting.name, 0, 0}, bearing, diagnostics);
  }
  if (!diagnostics.has_errors()) bearings::report_problems(bearing, {bearing.name, 0, 0}, diagnostics);
  if (diagnostics.has_errors()) api::throw_model_error(diagnostics);
  return api::outer_bearing(bearing);
}

std::vector<std::string> check_bearing(const BallBearing& bearing) {
  std::vector<std::string> problems;
  for (const auto& problem : bearings::problems_of(api::inner_bearing(bearing))) {
    problems.push_back(fmt::format("{}: {}", problem.attribute, problem.message));
  }
  return problems;
}

HertzContact hertz_contact(double curvature, double other_curvature, const BearingMaterial& a, const BearingMaterial& b,
                           double force) {
  if (!(curvature > 0.0 && other_curvature > 0.0 && std::isfinite(curvature) && std::isfinite(other_curvature))) {
    throw std::out_of_range("both sums of curvatures must be greater than 0: the bodies do not touch in a point");
  }
  const auto contact = bearings::point_contact(
      {curvature, other_curvature}, bearings::effective_modulus(api::inner_material(a), api::inner_material(b)));
  return api::contact_of(contact, bearings::under_load(contact, force));
}

BearingGeometry geometry_of(const BallBearing& bearing) {
  const bearings::DerivedGeometry g = bearings::derive(sound(bearing));
  return {g.inner_groove_radius,
          g.outer_groove_radius,
          g.curvature_distance,
          g.free_contact_angle,
          g.diametral_clearance,
          g.axial_clearance,
          g.inner_centre_radius,
          g.outer_centre_radius,
          g.inner_shoulder_angle,
          g.outer_shoulder_angle,
          g.ball_mass,
          g.ball_inertia,
          api::contact_of(g.inner_contact, {}),
          api::contact_of(g.outer_contact, {}),
          g.series_stiffness,
          g.inner_ring ? g.inner_ring->mass : 0.0,
          g.outer_ring ? g.outer_ring->mass : 0.0};
}

PassingFrequencies passing_frequencies(const BallBearing& bearing, double speed, std::optional<double> contact_angle) {
  const bearings::Bearing inner = sound(bearing);
  const double angle = contact_angle.value_or(bearings::derive(inner).free_contact_angle);
  return api::frequencies_of(bearings::passing_frequencies(inner, speed, angle));
}

BearingState balance_bearing(const BallBearing& bearing, const BearingLoad& load) {
  const bearings::Bearing inner = sound(bearing);
  bearings::LoadCase load_case{
      .is_parallel = load.is_parallel, .rotation = rotation_of(load), .first_ball = load.first_ball};
  load_case.load << load.axial, load.radial_y, load.radial_z, load.moment_y, load.moment_z;
  const auto loaded = bearings::in_balance(inner, load_case);
  if (!loaded && loaded.error().code == core::ErrorCode::bad_input) throw std::out_of_range(loaded.error().describe());
  if (!loaded) api::throw_run_error(loaded.error());
  return state_of(inner, *loaded, load.speed);
}

BearingState displace_bearing(const BallBearing& bearing, const std::array<double, 5>& displacement,
                              const BearingLoad& load) {
  const bearings::Bearing inner = sound(bearing);
  if (!vector_of(displacement).allFinite() || !std::isfinite(load.speed) || !std::isfinite(load.first_ball)) {
    throw std::out_of_range("displacements, speed and the angle of the first ball must be finite numbers");
  }
  return state_of(inner, bearings::displaced(inner, vector_of(displacement), rotation_of(load), load.first_ball),
                  load.speed);
}

StiffnessBearingForce stiffness_bearing(const BallBearing& bearing, const std::array<double, 5>& displacement,
                                        const std::array<double, 5>& velocity, const StiffnessBearingOptions& options) {
  const bearings::StiffnessBearing simple(
      sound(bearing), {options.virtual_balls, options.radial_damping, options.axial_damping, options.tilting_damping});
  return {numbers_of(simple.force_on_inner(vector_of(displacement), vector_of(velocity))),
          rows_of(simple.tangent(vector_of(displacement)))};
}

void plot_bearing(const BallBearing& bearing, const BearingState& state, const fs::path& file,
                  const std::string& title) {
  report::PolarPlot plot{.title = title.empty() ? "Ball loads of " + bearing.name : title,
                         .quantity = "contact force [N]",
                         .right = "y",
                         .up = "z"};
  const int rows = state.balls.empty() ? 0 : state.balls.back().row + 1;
  for (int row = 0; row < rows; ++row) {
    const std::string suffix = rows > 1 ? fmt::format(", row {}", row + 1) : "";
    report::PolarCurve inner{.label = "inner ring" + suffix}, outer{.label = "outer ring" + suffix};
    bool differ = false;
    for (const BallLoad& ball : state.balls) {
      if (ball.row != row) continue;
      for (report::PolarCurve* curve : {&inner, &outer}) curve->angles.push_back(ball.angle);
      inner.values.push_back(ball.inner.force);
      outer.values.push_back(ball.outer.force);
      differ |= ball.inner.force != ball.outer.force;
    }
    // At rest both contacts of a ball carry the same.
    if (!differ) inner.label = "both rings" + suffix;
    plot.curves.push_back(std::move(inner));
    if (differ) plot.curves.push_back(std::move(outer));
  }
  api::or_file_error(report::write_polar_plot(plot, writable_file(file)));
}

}  // namespace tieline
