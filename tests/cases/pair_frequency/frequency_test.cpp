// A line is an elastic bar with mass: the frequency of a free pair is that of the bar, not of a massless spring.

#include "support/frequency.hpp"

#include <gtest/gtest.h>

#include "support/pair_model.hpp"

namespace tieline::support {
namespace pair_frequency_frequency_test {

TEST(PairFrequency, FreePairSwingsLikeMassesOnABar) {
  PairModel model;
  model.line = Line::from_stiffness(1e10, 1e-5);
  model.pair.load1 = Load::pulse(-1000.0, 0.0, 5e-5);
  model.pair.load2 = Load::pulse(1000.0, 0.0, 5e-5);
  model.stop = 20e-3;
  model.write_interval = 2e-6;
  const double exact = opposed_mode_frequencies(1.0, model.line, 1)[0] / kTwoPi;
  ASSERT_NEAR(exact, 20794.27, 0.005);
  for (const auto& [tolerance, allowed] : {std::pair{1e-8, 0.02}, std::pair{1e-10, 1e-3}}) {
    model.tolerance = tolerance;
    const RunRecord run = run_text(model.text());
    results::Series distance = run.of("body2.body.position");
    for (std::size_t i = 0; i < distance.values.size(); ++i) {
      distance.values[i] -= run.values("body1.body.position")[i];
    }
    EXPECT_NEAR(frequency_near(distance, exact, 1e-4, model.stop), exact, allowed) << "tolerance " << tolerance;
  }
}

}  // namespace pair_frequency_frequency_test
}  // namespace tieline::support
