// What gluing costs: steps of glued members beside their own steps and beside the same in one piece.
//
// Two beams that lie in each other are glued at n of their nodes, with up to 198 interface unknowns, against one
// structure that holds both; and the double pendulum of the examples against the same with a joint. "own" is the time
// of a glued step over that of one trial of every member: 2 is a trial and a correction. Fails if the glued motion is
// not that of the whole.

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <string>
#include <vector>

#include "tieline/simulation.hpp"

#include "archive/temporary_folder.hpp"
#include "results/run_report.hpp"
#include "row.hpp"

namespace {

using namespace tieline;

constexpr int kRepeats = 3;

/// Nodes along x; those between the ends may be shared by two beams.
std::string nodes(const std::vector<std::string>& names, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t i = first; i <= last; ++i) {
    const double x = 2.0 * static_cast<double>(i) / static_cast<double>(names.size() - 1);
    text += fmt::format("<Node name=\"{}\" position=\"{}, 0, 0\"/>", names[i], x);
  }
  return text;
}

std::string beams(const std::string& name, const std::vector<std::string>& nodes, const std::string& section) {
  std::string text;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    text += fmt::format("<Beam name=\"{}{}\" from=\"{}\" to=\"{}\" section=\"{}\" material=\"steel\"/>", name, i,
                        nodes[i], nodes[i + 1], section);
  }
  return text;
}

std::vector<std::string> names(const std::string& ends, const std::string& between, int points) {
  std::vector<std::string> result{ends + "_begin"};
  for (int i = 1; i <= points; ++i) result.push_back(fmt::format("{}{}", between, i));
  result.push_back(ends + "_end");
  return result;
}

std::string structure(const std::string& name, const std::string& content) {
  return fmt::format(
      "<Component name=\"{}\" kind=\"structure\" step=\"1e-4\"><Structure><Material name=\"steel\" "
      "youngs_modulus=\"210e9\" poissons_ratio=\"0.3\" density=\"7850\"/><Section name=\"one\" "
      "radius=\"0.03\"/><Section "
      "name=\"two\" radius=\"0.02\"/>{}"
      "</Structure></Component>",
      name, content);
}

std::string model(const std::string& components, const std::string& connections) {
  return fmt::format(
      "<CompositeModel name=\"beams\"><Components>{}</Components><Connections>{}</Connections><Simulation "
      "stop=\"0.05\">"
      "<Exclude variables=\"*\"/></Simulation></CompositeModel>",
      components, connections);
}

const std::string kLoad =
    "<Support node=\"x_begin\"/><Load node=\"x_end\" force=\"0, {100*sin(300*t)}, {200*sin(200*t)}\"/><Sensor "
    "name=\"tip\" node=\"x_end\"/>";

/// Two beams along each other, joined at the nodes between their ends; the first is held and pushed.
std::string glued(int points) {
  const auto edge = [&](const std::vector<std::string>& of) {
    return fmt::format("<Interface name=\"edge\" nodes=\"{}\"/>", fmt::join(of.begin() + 1, of.end() - 1, " "));
  };
  const auto x = names("x", "x", points), y = names("y", "y", points);
  const std::size_t last = x.size() - 1;
  return model(structure("first", nodes(x, 0, last) + beams("first", x, "one") + kLoad + edge(x)) +
                   structure("second", nodes(y, 0, last) + beams("second", y, "two") + edge(y)),
               "<Connection name=\"seam\" from=\"first.edge\" to=\"second.edge\" coupling=\"glue\"/>");
}

std::string whole(int points) {
  const auto x = names("x", "n", points), y = names("y", "n", points);
  const std::size_t last = x.size() - 1;
  return model(structure("first", nodes(x, 0, last) + nodes(y, 0, 0) + nodes(y, last, last) + beams("first", x, "one") +
                                      beams("second", y, "two") + kLoad),
               "");
}

struct Run {
  double seconds = 1e9;
  double value = 0.0;
  results::RunReport report{};
  std::vector<double> in_gluings{};  ///< seconds of all repeats
};

Run run(const std::filesystem::path& file, const std::string& variable, double stop) {
  Run best;
  std::vector<double> in_gluings;
  for (int i = 0; i < kRepeats; ++i) {
    Simulation simulation = Simulation::load(file);
    simulation.advance_to(stop, {.threads = 1});
    const auto report = results::report_from_json(simulation.report_json());
    if (!report) throw std::runtime_error(report.error().describe());
    if (!report->gluings.empty()) in_gluings.push_back(report->gluings.front().seconds_total);
    if (report->wall_seconds < best.seconds) best = {report->wall_seconds, simulation.get(variable), *report, {}};
  }
  best.in_gluings = in_gluings;
  return best;
}

/// Prints a row, and returns whether the two runs agree.
bool compare(const std::string& name, const Run& glued, const Run& whole, double tolerance) {
  const results::GluingReport& g = glued.report.gluings.front();
  const auto steps = static_cast<double>(g.steps);
  const auto count = static_cast<double>(g.trials + g.probes);
  const double trial = g.seconds_members / count;
  const double step = g.seconds_total / steps;
  const double off = std::abs(glued.value - whole.value) / std::abs(whole.value);
  fmt::print("{:>16} {:>9} {:>11.1f} {:>8.2f} {:>10.2f} {:>12.1f} {:>10.2f} {:>11.0f} % {:>10.1e}\n", name, g.unknowns,
             1e6 * step, step / (trial * static_cast<double>(g.members)), static_cast<double>(g.trials) / steps,
             1e6 * whole.seconds / steps, glued.seconds / whole.seconds,
             100.0 * (1.0 - g.seconds_members / g.seconds_total), off);
  // Of the fastest run, since the trial is; the spread is that of all.
  const bench::Times all = bench::times_of(glued.in_gluings, 1e9 / steps);
  bench::add_row(fmt::format("glued step, {}, to one trial of every member", name),
                 {1e9 * step, 1e9 * step * all.median / all.least},
                 bench::least_time(1e9 * trial * static_cast<double>(g.members)));
  return off < tolerance;
}

}  // namespace

int main() {
  const auto folder = tieline::archive::TemporaryFolder::make("tieline-bench-glue");
  if (!folder) {
    fmt::print("FAILED: {}\n", folder.error().describe());
    return 1;
  }
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder->path() / name) << text;
    return folder->path() / name;
  };
  bool is_right = true;
  fmt::print("{:>16} {:>9} {:>11} {:>8} {:>10} {:>12} {:>10} {:>13} {:>10}\n", "model", "unknowns", "us/step", "own",
             "trials", "us/step whole", "whole", "coordinator", "difference");
  for (const int points : {1, 2, 4, 8, 16, 33}) {
    const std::string tip = "first.tip.displacement.z";
    const Run parts = run(write("glued.xml", glued(points)), tip, 0.05);
    const Run one = run(write("whole.xml", whole(points)), tip, 0.05);
    is_right = compare(fmt::format("beams, {} points", points), parts, one, 1e-7) && is_right;
  }
  const std::filesystem::path pendulum = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples" / "double-pendulum";
  const Run parts = run(pendulum / "glued.xml", "two.bar.center.position.x", 3.0);
  const Run one = run(pendulum / "monolithic.xml", "whole.two.bar.center.position.x", 3.0);
  is_right = compare("double pendulum", parts, one, 1e-5) && is_right;
  if (!is_right) fmt::print("FAILED: the glued motion is not that of the whole\n");
  return is_right ? 0 : 1;
}
