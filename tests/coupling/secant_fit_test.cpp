#include "coupling/secant_fit.hpp"

#include <gtest/gtest.h>

namespace tieline::coupling {
namespace secant_fit_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Stiff against the trial values, so that relaxation alone would run away.
MatrixXd stiff() {
  MatrixXd A(4, 4);
  A << -30.0, 4.0, 1.0, 0.0, 2.0, -9.0, 0.5, 3.0, 1.0, 0.0, -2e3, 5.0, 0.0, 1.0, 7.0, -50.0;
  return A;
}

TEST(SecantFit, FindsTheZeroOfALinearResidualInOneMoreThanItsUnknowns) {
  const MatrixXd A = stiff();
  const VectorXd b = VectorXd::LinSpaced(4, 1.0, 2.5), one = VectorXd::Ones(4);
  SecantFit fit;
  VectorXd x = VectorXd::Zero(4), r = A * x + b;
  for (int round = 0; round < 5; ++round) {
    const VectorXd change = fit.correction(r, one, one, 0.5);
    x += change;
    const VectorXd before = r;
    r = A * x + b;
    fit.add(change, r - before);
  }
  EXPECT_LT(r.norm(), 1e-9 * b.norm());
  // What was learnt solves the same for another load at once.
  const VectorXd other = A * x - 3.0 * b;
  EXPECT_LT((A * fit.correction(other, one, one, 0.5) + other).norm(), 1e-8 * other.norm());
}

TEST(SecantFit, ScalesOfRowsDoNotMatterWhereAllIsKnown) {
  const MatrixXd A = stiff();
  SecantFit fit;
  for (int i = 0; i < 4; ++i) fit.add(VectorXd::Unit(4, i), A.col(i));
  const VectorXd r = VectorXd::LinSpaced(4, -1.0, 2.0), exact = -A.partialPivLu().solve(r);
  VectorXd scale(4);
  scale << 1.0, 1e3, 1e-3, 10.0;
  for (const VectorXd& of_rows : {VectorXd(VectorXd::Ones(4)), scale}) {
    EXPECT_LT((fit.correction(r, of_rows, VectorXd::Zero(4), 0.5) - exact).norm(), 1e-9 * exact.norm());
  }
}

TEST(SecantFit, TheLatestChangesCountAndOldOnesAreForgotten) {
  SecantFit fit;
  const VectorXd one = VectorXd::Ones(1);
  fit.add(one, -2.0 * one);
  fit.add(one, -4.0 * one);
  EXPECT_DOUBLE_EQ(fit.correction(one, one, one, 0.5)[0], 0.25);
  // Changes that say nothing are not kept.
  fit.add(one, VectorXd::Zero(1));
  EXPECT_DOUBLE_EQ(fit.correction(one, one, one, 0.5)[0], 0.25);
}

TEST(SecantFit, SnapshotsContainWhatWasLearnt) {
  SecantFit fit, again;
  fit.add(VectorXd::LinSpaced(3, 0.0, 1.0), VectorXd::LinSpaced(3, 2.0, -1.0));
  core::ArchiveWriter archive;
  fit.save(archive);
  const std::string bytes = std::move(archive).take();
  core::ArchiveReader reader(bytes);
  again.restore(reader);
  EXPECT_TRUE(reader.at_end());
  const VectorXd r = VectorXd::LinSpaced(3, 1.0, 4.0), one = VectorXd::Ones(3);
  EXPECT_EQ(fit.correction(r, one, one, 0.5), again.correction(r, one, one, 0.5));
}

}  // namespace secant_fit_test
}  // namespace tieline::coupling
