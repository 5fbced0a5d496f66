#include <cstdio>
#include <tieline/simulation.hpp>

int main() {
  for (const double k : {1e6, 1e7, 1e8}) {
    auto simulation = tieline::Simulation::load("pair.xml");
    simulation.set("k", k);
    double largest = 0.0;
    for (int i = 1; i <= 100; ++i) {
      simulation.advance_to(i * 1e-3);
      const double stretch = simulation.get("right.body.position") - simulation.get("left.body.position");
      if (stretch > largest) largest = stretch;
    }
    std::printf("k = %g N/m: stretched by at most %.3g mm\n", k, largest * 1e3);
  }
}
