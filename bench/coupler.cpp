// What a control step of a group in layers costs beyond the steps of its members.
//
// A chain of masses and springs, each a component with steps of its own: "ratio" is the time of the run over the time
// that its components spend in their steps, repeats included. Fails where a run is wrong.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

#include "tieline/simulation.hpp"

#include "archive/temporary_folder.hpp"
#include "results/run_report.hpp"
#include "row.hpp"

namespace {

using namespace tieline;
using Clock = std::chrono::steady_clock;

constexpr int kRepeats = 3;

std::string settings_of(double step) { return fmt::format("kind=\"network\" solver=\"rk4\" step=\"{}\"", step); }

/// Masses with even numbers, springs with odd ones, which take the motions of their neighbours.
std::string chain(int members, double stop) {
  std::string components, connections;
  for (int i = 0; i < members; ++i) {
    const bool is_mass = i % 2 == 0;
    components += fmt::format("<Component name=\"m{}\" {}><Network>", i, settings_of(i % 4 < 2 ? 1e-3 : 4e-3));
    if (is_mass) {
      components += fmt::format(
          "<Ground name=\"g\"/><Mass name=\"m\" mass=\"1\" velocity=\"{}\"/><Spring name=\"k\" from=\"g\" "
          "to=\"m\" stiffness=\"40\"/><Interface name=\"left\" node=\"m\"/>",
          i == 0 ? 1.0 : 0.1);
      if (i + 1 < members) {
        components +=
            "<Mass name=\"n\" mass=\"1\"/><Spring name=\"c\" from=\"m\" to=\"n\" stiffness=\"100\"/><Interface "
            "name=\"right\" node=\"n\"/>";
      }
    } else {
      components += "<Node name=\"a\"/><Interface name=\"left\" node=\"a\" causality=\"motion\"/>";
      if (i + 1 < members) {
        components +=
            "<Node name=\"b\"/><Interface name=\"right\" node=\"b\" causality=\"motion\"/><Spring name=\"k\" "
            "from=\"a\" "
            "to=\"b\" stiffness=\"50\"/>";
      } else {
        components += "<Ground name=\"g\"/><Spring name=\"k\" from=\"g\" to=\"a\" stiffness=\"50\"/>";
      }
    }
    components += "</Network></Component>";
    if (i == 0) continue;
    connections += fmt::format("<Connection from=\"m{}.right\" to=\"m{}.left\" coupling=\"sampled\"/>", i - 1, i);
  }
  return fmt::format(
      "<CompositeModel name=\"chain\"><Components>{}</Components><Connections>{}</Connections><Layers/>"
      "<Simulation stop=\"{}\"/></CompositeModel>",
      components, connections, stop);
}

struct Cost {
  double seconds = 0.0;       ///< of the run
  double members = 0.0;       ///< of these, in components
  double steps = 0.0;         ///< control steps
  std::vector<double> all{};  ///< seconds of all repeats
};

Cost cost_of(const std::filesystem::path& file, int threads) {
  Cost best{.seconds = 1e9};
  std::vector<double> all;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    auto simulation = Simulation::load(file);
    simulation.start();
    const auto begin = Clock::now();
    simulation.advance_to(simulation.stop_time(), {.threads = threads});
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    simulation.finish();
    const auto report = results::report_from_json(simulation.report_json());
    if (!report || report->verdict == results::Verdict::wrong || report->layers.empty()) {
      fmt::print("FAILED: {} is wrong\n", file.string());
      std::exit(1);
    }
    all.push_back(seconds);
    Cost cost{.seconds = seconds};
    for (const auto& component : report->components) cost.members += component.statistics.seconds_total;
    for (const auto& layer : report->layers) cost.steps += static_cast<double>(layer.steps);
    if (cost.seconds < best.seconds) best = cost;
  }
  best.all = all;
  return best;
}

std::filesystem::path write(const std::filesystem::path& folder, const std::string& text) {
  const std::filesystem::path file = folder / "model.xml";
  std::ofstream(file) << text;
  return file;
}

}  // namespace

int main() {
  auto folder = archive::TemporaryFolder::make("tieline-bench");
  if (!folder) {
    fmt::print("FAILED: {}\n", folder.error().describe());
    return 1;
  }
  fmt::print("{:>8} {:>14} {:>16} {:>8}\n", "members", "control steps", "us beyond a step", "ratio");
  for (const int members : {2, 10, 100, 1000}) {
    const Cost cost = cost_of(write(folder->path(), chain(members, 40.0 / members)), 1);
    fmt::print("{:>8} {:>14.0f} {:>16.2f} {:>8.2f}\n", members, cost.steps,
               1e6 * (cost.seconds - cost.members) / (cost.steps * members), cost.seconds / cost.members);
    bench::add_row(fmt::format("coupler {} members", members), bench::times_of(cost.all, 1e9),
                   bench::least_time(1e9 * cost.members));
  }
  return 0;
}
