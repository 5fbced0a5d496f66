#include "reporting/component_times.hpp"

#include <gtest/gtest.h>

#include "support/model_run.hpp"
#include "support/pair_model.hpp"

namespace tieline::support {
namespace component_times_test {

// Of few windows and of many, whichever of them are measured: what a component did and waited is part of the wall time.
TEST(ComponentTimes, AreNotLongerThanTheRun) {
  for (const double stop : {1e-4, 2e-3, 0.05}) {
    for (const int threads : {1, 2}) {
      PairModel model;
      model.line = Line::from_stiffness(1e6, 1e-4);
      model.pair.load2 = Load::constant(100.0);
      model.stop = stop;
      const RunRecord run = run_text(model.text(), {.threads = threads});
      double work = 0.0;
      for (const auto& component : run.report.components) {
        const core::Statistics& s = component.statistics;
        EXPECT_GT(s.seconds_total, 0.0) << component.name;
        EXPECT_LE(s.seconds_total + s.seconds_waiting, run.report.wall_seconds * (1.0 + 1e-12)) << component.name;
        EXPECT_LE(s.seconds_rhs + s.seconds_jacobian + s.seconds_writing, s.seconds_total * (1.0 + 1e-12))
            << component.name;
        work += s.seconds_total;
      }
      EXPECT_LE(work, threads * run.report.wall_seconds * (1.0 + 1e-12));
    }
  }
}

}  // namespace component_times_test
}  // namespace tieline::support
