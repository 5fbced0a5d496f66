#include "cli/analysis_arguments.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/fmu_arguments.hpp"
#include "cli/number_checks.hpp"
#include "cli/settings.hpp"

namespace tieline::cli {
namespace {

std::string check_band(const std::string& text) {
  return parse_band(text) ? "" : fmt::format("'{}' is not LOW:HIGH with LOW less than HIGH", text);
}

CLI::Option* add_load(CLI::App& command, const char* name, std::vector<double>& numbers, const char* description,
                      const char* unit) {
  return command.add_option(name, numbers, description)
      ->delimiter(',')
      ->expected(1, 2)
      ->check(check_finite)
      ->type_name(unit);
}

}  // namespace

void add_time_range(CLI::App& command, std::optional<double>& from, std::optional<double>& to) {
  command.add_option("--from", from, "Start at this time [s] instead of the run's start")
      ->check(check_finite)
      ->type_name("SECONDS");
  command.add_option("--to", to, "End at this time [s] instead of the run's end")
      ->check(check_finite)
      ->type_name("SECONDS");
}

void add_bearing(CLI::App& app, BearingArguments& arguments) {
  auto* command = app.add_subcommand("bearing", "Compute ball loads, stiffness and life of a ball bearing");
  command->add_option("type", arguments.type, "Type in a library (6214), or file (XML) that describes a bearing")
      ->type_name("TYPE|FILE.xml");
  command->add_flag("--list", arguments.lists, "List the types of all libraries");
  add_load(*command, "--radial", arguments.radial, "Radial load on the inner ring along y, or along y and z [N]",
           "NEWTON[,NEWTON]");
  command->add_option("--axial", arguments.axial, "Axial load on the inner ring along x [N]")
      ->check(check_finite)
      ->type_name("NEWTON");
  add_load(*command, "--moment", arguments.moment,
           "Moment on the inner ring about z, in the plane of a radial load along y, or about y and z [N m]; without "
           "it the rings are held parallel",
           "NM[,NM]");
  command->add_option("--speed", arguments.speed, "Speed of the inner ring [rpm]; the outer ring is at rest")
      ->check(check_finite)
      ->type_name("RPM");
  command
      ->add_option("--control", arguments.control,
                   "Ring that leads the spin of the balls: outer, inner, or shared by both (default: outer)")
      ->check(CLI::IsMember({"outer", "inner", "shared"}))
      ->type_name("RING");
  command->add_option("--first-ball", arguments.first_ball, "Angle of the first ball from y towards z [degrees]")
      ->check(check_finite)
      ->type_name("DEGREES");
  command
      ->add_option("--set", arguments.set, "Change a number of the bearing, in SI units: clearance=1e-5 (repeatable)")
      ->type_name("NAME=VALUE")
      ->check(check_assignment)
      ->allow_extra_args(false);
  command->add_option("-o,--out", arguments.out, "Polar plot of the ball loads: .svg, .png or .html")
      ->type_name("FILE");
  command->add_flag("--json", arguments.prints_json, "Print everything as JSON, in SI units");
  command->footer(
      "Examples: tieline bearing --list\n"
      "          tieline bearing 6214 --radial 1286 --axial 100 --speed 5000\n"
      "          tieline bearing HBU3 --radial 2443 --axial 3000 --moment 850 -o hub.svg\n"
      "          tieline bearing 7010C --axial 500 --speed 18000 --set ball_material=ceramic --json\n"
      "          tieline bearing mine.xml --radial 800,600");
  command->callback([&arguments] {
    if (arguments.type.empty() && !arguments.lists) throw CLI::RequiredError("type (or --list)");
  });
}

void add_spectrum(CLI::App& app, SpectrumArguments& arguments) {
  auto* command = app.add_subcommand("spectrum", "Compute the frequency content of recorded variables");
  command->add_option("folder", arguments.folder, "Result folder")->required()->type_name("FOLDER");
  command->add_option("variables", arguments.variables, "Variables of the results; * matches any text")
      ->required()
      ->type_name("VARIABLE...");
  command->add_option("-o,--out", arguments.out, "Plot to write: .svg, .png or .html (default: spectrum.svg)")
      ->type_name("FILE");
  command->add_option("--window", arguments.window, "Window (default: hann)")
      ->check(CLI::IsMember({"hann", "hamming", "blackman_harris", "flat_top", "rectangular"}))
      ->type_name("NAME");
  command->add_flag("--density", arguments.is_density, "Power spectral density instead of amplitudes");
  auto* segments = command->add_option("--segments", arguments.segments,
                                       "Average about this number of overlapping segments (Welch; default: 1)");
  segments->check(CLI::Range(1, 1000000))->type_name("NUMBER");
  command
      ->add_option("--resolution", arguments.resolution,
                   "Distance of lines, at most [Hz] or orders, instead of --segments")
      ->check(check_positive)
      ->excludes(segments)
      ->type_name("HZ");
  command->add_option("--overlap", arguments.overlap, "Overlap of successive segments (default: 0.5)")
      ->check(CLI::Range(0.0, 0.95))
      ->type_name("FRACTION");
  auto* rate = command->add_option("--rate", arguments.rate,
                                   "Samples per second [Hz] (default: as recorded; of irregular times their median)");
  rate->check(check_positive)->type_name("HZ");
  add_time_range(*command, arguments.from, arguments.to);
  command
      ->add_option("--order", arguments.order,
                   "Orders of a shaft instead of frequencies: its speed [rad/s] or angle [rad]")
      ->excludes(rate)
      ->type_name("VARIABLE");
  command
      ->add_option("--envelope", arguments.envelope,
                   "Spectrum of the envelope of this band of frequencies [Hz], or of orders")
      ->check(check_band)
      ->type_name("LOW:HIGH");
  command
      ->add_option("--mark", arguments.marks,
                   "Mark the passing frequencies of a bearing at a speed [rpm], or any frequency [Hz] (with --order: "
                   "order); with harmonics (repeatable)")
      ->type_name("TYPE@RPM|NAME=HZ")
      ->allow_extra_args(false);
  command->add_option("--harmonics", arguments.harmonics, "Number of multiples of each mark (default: 3)")
      ->check(CLI::Range(1, 100))
      ->type_name("NUMBER");
  command->add_option("--peaks", arguments.peaks, "Number of peaks to print (default: 10)")
      ->check(CLI::Range(0, 1000))
      ->type_name("NUMBER");
  command->add_option("--highest", arguments.highest, "End of the frequency axis [Hz] or of orders (default: all)")
      ->check(check_positive)
      ->type_name("HZ");
  command->add_option("--log", arguments.log_axes, "Logarithmic axes: x, y or xy")
      ->check(CLI::IsMember({"x", "y", "xy"}))
      ->type_name("AXES");
  command->add_option("--title", arguments.title, "Title of the plot")->type_name("TEXT");
  command->footer(
      "Examples: tieline spectrum results ball.body.position -o spectrum.svg\n"
      "          tieline spectrum results shaft.position.y --from 0.1 --mark 6214@5000 --log y\n"
      "          tieline spectrum results '*.force' --density --segments 8\n"
      "          tieline spectrum results shaft.position.y --order shaft.angular_velocity\n"
      "          tieline spectrum results housing.acceleration.y --envelope 2000:4000 --mark 6214@5000");
}

}  // namespace tieline::cli
