// The command `tieline bearing`.

#include "tieline/bearing.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "tieline/program.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/settings.hpp"

namespace tieline::cli {
namespace {

using std::numbers::pi;

constexpr double kDegrees = 180.0 / pi;

using Table = std::vector<std::vector<std::string>>;

std::string with_digits(double value, int digits = 4) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "unlimited";
}

/// With this many decimals; never "-0.00".
std::string rounded(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  return text.find_first_of("123456789") == std::string::npos && text.front() == '-' ? text.substr(1) : text;
}

/// Lives in long numbers are read, not powers of ten.
std::string life_text(double value) {
  return !std::isfinite(value) ? "unlimited" : value < 1e4 ? with_digits(value) : fmt::format("{:.0f}", value);
}

int list_types() {
  Table table{
      {"type", "d [mm]", "D [mm]", "B [mm]", "rows", "balls", "ball [mm]", "pitch [mm]", "angle [deg]", "C [kN]"}};
  for (const BearingInfo& info : list_bearings()) {
    const BallBearing& b = info.bearing;
    const auto length = [](double metres) { return metres > 0.0 ? with_digits(1e3 * metres, 5) : "-"; };
    const BearingState state = displace_bearing(b, {});
    table.push_back({b.name, length(b.bore), length(b.outside_diameter), length(b.width),
                     b.arrangement == RowArrangement::single ? "1" : "2", fmt::format("{}", b.balls),
                     length(b.ball_diameter), length(b.pitch_diameter), with_digits(kDegrees * b.contact_angle),
                     with_digits(1e-3 * state.life.dynamic_rating, 3)});
  }
  fmt::print("{}\nInternal geometry is typical of the series, not that of any maker; --set changes each number.\n",
             text_table(table));
  return kDone;
}

void print_geometry(const BallBearing& b) {
  const BearingGeometry g = geometry_of(b);
  const bool is_deep = b.design == BearingDesign::deep_groove;
  fmt::print("{}: {} ball bearing, {} balls of {} mm{} on a pitch circle of {} mm\n", b.name,
             is_deep ? "deep groove" : "angular contact", b.balls, with_digits(1e3 * b.ball_diameter, 5),
             b.arrangement == RowArrangement::single ? "" : " in each of 2 rows",
             with_digits(1e3 * b.pitch_diameter, 5));
  if (is_deep) fmt::print("  diametral clearance {} um, ", with_digits(1e6 * b.clearance));
  if (!is_deep) fmt::print("  axial preload {} um, ", with_digits(1e6 * b.preload));
  fmt::print("free contact angle {} degrees\n", with_digits(kDegrees * g.free_contact_angle));
  fmt::print("  contact stiffness: inner {:.4g}, outer {:.4g}, both in series {:.4g} N/m^1.5\n\n",
             g.inner_contact.stiffness, g.outer_contact.stiffness, g.series_stiffness);
}

void print_balls(const BearingState& state) {
  Table table{{"ball", "angle [deg]", "inner [N]", "outer [N]", "inner angle [deg]", "outer angle [deg]",
               "inner p [MPa]", "outer p [MPa]", "inner ellipse [mm]"}};
  const bool has_rows = !state.balls.empty() && state.balls.back().row > 0;
  int ball_number = 0, row = 0;
  for (const BallLoad& ball : state.balls) {
    ball_number = ball.row == row ? ball_number + 1 : 1;
    row = ball.row;
    const bool touches = ball.inner.force > 0.0, is_loaded = ball.outer.force > 0.0;
    const auto where = [](bool is, std::string text) { return is ? text : "-"; };
    table.push_back(
        {(has_rows ? fmt::format("{}/", row + 1) : "") + fmt::format("{}", ball_number),
         fmt::format("{:.1f}", kDegrees * ball.angle), fmt::format("{:.2f}", ball.inner.force),
         fmt::format("{:.2f}", ball.outer.force), where(touches, fmt::format("{:.2f}", kDegrees * ball.inner_angle)),
         where(is_loaded, fmt::format("{:.2f}", kDegrees * ball.outer_angle)),
         where(touches, fmt::format("{:.0f}", 1e-6 * ball.inner.pressure)),
         where(is_loaded, fmt::format("{:.0f}", 1e-6 * ball.outer.pressure)),
         where(touches, fmt::format("{:.3f} x {:.3f}", 2e3 * ball.inner.half_length, 2e3 * ball.inner.half_width)) +
             (ball.is_cut ? " cut" : "")});
  }
  fmt::print("{}\n", text_table(table));
}

void print_ring(const BearingState& state) {
  const std::array<const char*, 5> names{"x", "y", "z", "about y", "about z"};
  Table table{{"inner ring", "load", "displacement"}};
  for (std::size_t i = 0; i < 5; ++i) {
    table.push_back({names[i], rounded(state.load[i], 2) + (i < 3 ? " N" : " N m"),
                     rounded(1e6 * state.displacement[i], 3) + (i < 3 ? " um" : " urad")});
  }
  fmt::print("{}\n", text_table(table));
  Table stiffness{{"stiffness [N/m, N m/rad]", "x", "y", "z", "about y", "about z"}};
  for (std::size_t i = 0; i < 5; ++i) {
    stiffness.push_back({names[i]});
    // Roundings of what is zero by symmetry are shown as such.
    for (std::size_t j = 0; j < 5; ++j) {
      const double scale = std::sqrt(std::abs(state.stiffness[i][i] * state.stiffness[j][j]));
      const double k = state.stiffness[i][j];
      stiffness.back().push_back(std::abs(k) <= 1e-9 * scale ? "0" : fmt::format("{:.3e}", k));
    }
  }
  fmt::print("{}\n", text_table(stiffness));
}

void print_life(const BearingState& state, double speed) {
  const BearingLife& l = state.life;
  Table table{{"rating and life", "value"}};
  table.push_back({"dynamic rating C, ISO 281", fmt::format("{:.2f} kN", 1e-3 * l.dynamic_rating)});
  table.push_back({"static rating C0, ISO 76", fmt::format("{:.2f} kN", 1e-3 * l.static_rating)});
  table.push_back({"equivalent load P, ISO 281, without moments", fmt::format("{:.1f} N", l.equivalent_load)});
  table.push_back({"basic rating life L10, ISO 281", life_text(l.basic_turns) + " million turns"});
  if (speed != 0.0) table.push_back({"basic rating life L10h", life_text(l.basic_hours) + " h"});
  table.push_back({"reference rating life L10r, ISO/TS 16281", life_text(l.reference_turns) + " million turns"});
  if (speed != 0.0) table.push_back({"reference rating life L10rh", life_text(l.reference_hours) + " h"});
  fmt::print("{}\n", text_table(table));
}

void print_frequencies(const BearingState& state) {
  const PassingFrequencies& f = state.frequencies;
  fmt::print("Passing frequencies at a contact angle of {} degrees, the mean of the loaded contacts\n",
             with_digits(kDegrees * state.contact_angle));
  Table table{{"part", "frequency [Hz]", "order"}};
  for (const auto& [name, value] :
       {std::pair{"shaft", f.shaft}, std::pair{"cage", f.cage}, std::pair{"balls over the outer ring", f.outer_ring},
        std::pair{"balls over the inner ring", f.inner_ring}, std::pair{"ball about its axis", f.ball_spin}}) {
    table.push_back({name, fmt::format("{:.2f}", value), fmt::format("{:.4f}", value / f.shaft)});
  }
  fmt::print("{}\n", text_table(table));
}

BearingLoad load_of(const BearingArguments& arguments) {
  BearingLoad load{.axial = arguments.axial, .speed = arguments.speed * 2.0 * pi / 60.0};
  if (!arguments.radial.empty()) load.radial_y = arguments.radial[0];
  if (arguments.radial.size() > 1) load.radial_z = arguments.radial[1];
  if (arguments.moment.size() == 1) load.moment_z = arguments.moment[0];
  if (arguments.moment.size() > 1) {
    load.moment_y = arguments.moment[0];
    load.moment_z = arguments.moment[1];
  }
  load.is_parallel = arguments.moment.empty();
  load.first_ball = arguments.first_ball / kDegrees;
  if (arguments.control == "inner") load.control = RaceControl::inner;
  if (arguments.control == "shared") load.control = RaceControl::shared;
  return load;
}

}  // namespace

int bearing(const BearingArguments& arguments) {
  if (arguments.lists) return list_types();
  const BallBearing bearing = find_bearing(arguments.type, parse_settings(arguments.set));
  const BearingLoad load = load_of(arguments);
  const BearingState state = balance_bearing(bearing, load);
  if (arguments.prints_json) {
    fmt::print("{}\n", bearing_json(bearing, load, state));
  } else {
    print_geometry(bearing);
    print_balls(state);
    print_ring(state);
    if (load.is_parallel) fmt::print("The rings are held parallel, by the moments above; --moment lets them tilt.\n\n");
    print_life(state, load.speed);
    if (load.speed != 0.0) print_frequencies(state);
  }
  for (const std::string& warning : state.warnings) print_error("warning: {}\n", warning);
  if (!arguments.out.empty()) {
    plot_bearing(bearing, state, arguments.out);
    if (!arguments.prints_json) fmt::print("{}\n", arguments.out.string());
  }
  return kDone;
}

}  // namespace tieline::cli
