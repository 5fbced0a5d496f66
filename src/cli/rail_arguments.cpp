#include "cli/rail_arguments.hpp"

#include <CLI/CLI.hpp>

#include "cli/analysis_arguments.hpp"
#include "cli/number_checks.hpp"

namespace tieline::cli {
namespace {

CLI::Option* add_number(CLI::App& command, const char* name, std::optional<double>& number, const char* description,
                        const char* unit) {
  return command.add_option(name, number, description)->check(check_positive)->type_name(unit);
}

}  // namespace

void add_ride(CLI::App& app, RideArguments& arguments) {
  auto* command = app.add_subcommand("ride", "Judge ride comfort and running safety of a rail vehicle");
  command->add_option("folder", arguments.folder, "Result folder")->required()->type_name("FOLDER");
  const auto add_axis = [&](const char* name, std::string& variable, const char* description) {
    command->add_option(name, variable, description)->type_name("VARIABLE");
  };
  add_axis("--vertical", arguments.vertical,
           "Vertical acceleration [m/s^2] or velocity [m/s] of a place in the vehicle");
  add_axis("--lateral", arguments.lateral, "The same across the vehicle");
  add_axis("--longitudinal", arguments.longitudinal, "The same along the vehicle");
  command
      ->add_option("--wheel", arguments.wheels,
                   "Lateral and vertical force [N] on a wheel: derailment quotient and unloading (repeatable)")
      ->type_name("NAME=LATERAL,VERTICAL")
      ->allow_extra_args(false);
  add_number(*command, "--speed", arguments.speed, "Speed [m/s]: Y/Q is averaged over a length of track", "M/S");
  add_number(*command, "--average", arguments.averaging_length, "That length [m] (default: 2)", "METRES");
  add_number(*command, "--static-load", arguments.static_load,
             "Vertical force on each wheel at rest [N] (default: the mean of its record)", "NEWTON");
  auto* angle = add_number(*command, "--flange-angle", arguments.flange_angle,
                           "Angle of the flange [degrees], for Nadal's limit of Y/Q", "DEGREES");
  auto* friction =
      command->add_option("--friction", arguments.friction, "Friction of the flange, for Nadal's limit of Y/Q");
  friction->check(check_not_negative)->type_name("NUMBER")->needs(angle);
  angle->needs(friction);
  add_number(*command, "--segment", arguments.segment, "Length of the segments of Sperling's index [s] (default: 5)",
             "SECONDS");
  add_time_range(*command, arguments.from, arguments.to);
  command->add_flag("--json", arguments.prints_json, "Print everything as JSON, in SI units");
  command->footer(
      "Examples: tieline ride results --vertical car.floor.acceleration.z --lateral car.floor.acceleration.y\n"
      "          tieline ride results --wheel front_left=rail.Y1,rail.Q1 --speed 97.2 --static-load 67640\n"
      "          tieline ride results --wheel w1=rail.Y1,rail.Q1 --flange-angle 70 --friction 0.3");
}

void add_irregularity(CLI::App& app, IrregularityArguments& arguments) {
  auto* command = app.add_subcommand("irregularity", "Make irregularities of a track from a published spectrum");
  command->add_option("spectrum", arguments.spectrum, "Name of the spectrum (--list lists them)")->type_name("NAME");
  command->add_flag("--list", arguments.lists, "List the spectra");
  command->add_option("-o,--out", arguments.out, "Table to write (default: irregularity.csv)")->type_name("FILE");
  add_number(*command, "--length", arguments.length, "Length of the track [m] (default: 500)", "METRES");
  add_number(*command, "--step", arguments.step, "Distance of points [m] (default: 0.25)", "METRES");
  command->add_option("--seed", arguments.seed, "Seed of the random phases (default: 1)")->type_name("NUMBER");
  command->add_option("--scale", arguments.scale, "Factor of all deviations (default: 1)")
      ->check(check_finite)
      ->type_name("NUMBER");
  add_number(*command, "--shortest", arguments.shortest, "Shortest wavelength [m] (default: that of the spectrum)",
             "METRES");
  add_number(*command, "--longest", arguments.longest, "Longest wavelength [m] (default: that of the spectrum)",
             "METRES");
  command->add_option("--fade-in", arguments.fade_in, "Length over which it grows from zero [m] (default: 20)")
      ->check(check_not_negative)
      ->type_name("METRES");
  add_number(*command, "--speed", arguments.speed,
             "Write times at this speed [m/s] in place of distances, and velocities in place of slopes", "M/S");
  command->add_option("--plot", arguments.plot, "Picture of it: .svg, .png or .html")->type_name("FILE");
  command->footer(
      "Examples: tieline irregularity --list\n"
      "          tieline irregularity german_low --length 1000 --seed 7 -o track.csv --plot track.svg\n"
      "          tieline irregularity chinese_ballastless --speed 97.2 -o over-time.csv");
  command->callback([&arguments] {
    if (arguments.spectrum.empty() && !arguments.lists) throw CLI::RequiredError("spectrum (or --list)");
  });
}

}  // namespace tieline::cli
