// Runs a model through the installed library and checks what must come out: a pair that moves uniformly goes on so.
#include <cmath>
#include <cstdio>
#include <tieline/simulation.hpp>

int main(int count, char** arguments) {
  if (count != 2) return 3;
  constexpr double kSpeed = 3.0;
  tieline::Simulation simulation = tieline::Simulation::load(arguments[1]);
  simulation.set("speed", kSpeed);
  simulation.advance_to(simulation.stop_time());
  const double position = simulation.get("right.body.position");
  std::printf("t = %g s, x = %.12g m\n", simulation.time(), position);
  return std::abs(position - kSpeed * simulation.time()) < 1e-9 ? 0 : 1;
}
