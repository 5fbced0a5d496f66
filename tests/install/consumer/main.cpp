// Runs a model through the installed library and checks what must come out: a pair that moves uniformly continues so.
#include <cmath>
#include <cstdio>
#include <tieline/check.hpp>
#include <tieline/results.hpp>
#include <tieline/simulation.hpp>

int main(int count, char** arguments) {
  if (count != 2) return 3;
  constexpr double kSpeed = 3.0;
  tieline::Simulation simulation = tieline::Simulation::load(arguments[1]);
  simulation.set("speed", kSpeed);
  simulation.record_to("results");
  simulation.advance_to(simulation.stop_time());
  simulation.finish();
  const double position = simulation.get("right.body.position");
  // What was recorded is what is, and errors are caught that the library throws.
  if (tieline::Results::open("results").read("right.body.position").values.back() != position) return 1;
  if (tieline::check_model(arguments[1], {.settings = {{"speed", "fast"}}}).errors == 0) return 1;
  try {
    (void)tieline::Results::open("nowhere");
    return 1;
  } catch (const tieline::FileError&) {
  }
  std::printf("t = %g s, x = %.12g m\n", simulation.time(), position);
  return std::abs(position - kSpeed * simulation.time()) < 1e-9 ? 0 : 1;
}
