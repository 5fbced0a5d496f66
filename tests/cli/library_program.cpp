#include <cstdio>
#include <string>
#include <tieline/check.hpp>
#include <tieline/plots.hpp>
#include <tieline/results.hpp>
#include <tieline/simulation.hpp>

int main() {
  const std::string model = "examples/two-bodies/two-bodies.xml";

  // Every problem of a model, with its place.
  const tieline::CheckReport wrong = tieline::check_model(model, {.settings = {{"m2", "-1"}}});
  for (const tieline::Problem& problem : wrong.problems)
    std::printf("line %d: %s\n", problem.line, problem.text.c_str());

  // A run with results in a folder.
  try {
    auto simulation = tieline::Simulation::load(model);
    simulation.record_to("library-results");
    simulation.advance_to(simulation.stop_time());
    simulation.finish();
  } catch (const tieline::RunError& error) {
    std::printf("the run failed: %s\n", error.what());
    return 2;
  }

  // What it recorded, and how it went.
  const auto results = tieline::Results::open("library-results");
  const tieline::Series series = results.read("body2.body.position");
  std::printf("%s: %.2f mm at %g s\n", series.name.c_str(), 1e3 * series.values.back(), series.times.back());
  const auto report = tieline::read_report("library-results");
  std::printf("connection %s: %s\n", report->connections[0].name.c_str(), report->connections[0].kind.c_str());

  // A picture.
  const tieline::PlottedRun runs[] = {{&results, "two bodies"}};
  const std::string variables[] = {"body2.body.position"};
  tieline::plot_runs(runs, variables, {.title = "The second body"}, "body2.svg");
}
