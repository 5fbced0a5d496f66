#include "coupling/gluing_matrix.hpp"

#include <gtest/gtest.h>

namespace tieline::coupling {
namespace gluing_matrix_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A response with units that differ by many powers of ten, as forces and torques do.
MatrixXd mixed_response() {
  MatrixXd R = MatrixXd::Random(6, 6);
  R = R * R.transpose() + MatrixXd::Identity(6, 6);
  const VectorXd units = (VectorXd(6) << 1.0, 1.0, 1.0, 1e5, 1e5, 1e5).finished();
  return units.asDiagonal() * R * units.asDiagonal();
}

TEST(GluingMatrix, ClosesGapsOfLinearProblemsAtOnce) {
  const MatrixXd R = mixed_response();
  GluingMatrix matrix;
  ASSERT_TRUE(matrix.set(R));
  EXPECT_LT(matrix.condition(), 1e3);
  const VectorXd gaps = VectorXd::Random(6);
  EXPECT_LT((gaps + R * matrix.correction(gaps)).norm(), 1e-11);
  matrix.scale_response(0.5);
  EXPECT_LT((gaps + 0.5 * R * matrix.correction(gaps)).norm(), 1e-11);
  EXPECT_LT((matrix.response_to(gaps) - 0.5 * R * gaps).norm(), 1e-3);
}

TEST(GluingMatrix, LearnsWhatItWasNotTold) {
  const MatrixXd R = mixed_response();
  MatrixXd stale = R;
  stale.diagonal() *= 1.3;
  for (const bool fits : {false, true}) {
    GluingMatrix matrix;
    ASSERT_TRUE(matrix.set(stale));
    VectorXd gaps = VectorXd::Ones(6);
    VectorXd before, change;
    for (int i = 0; i < 14; ++i) {
      if (change.size() > 0 && fits) matrix.keep(change, gaps - before);
      if (change.size() > 0 && !fits) matrix.learn(change, gaps - before);
      before = gaps;
      change = fits ? matrix.fitted_correction(gaps) : matrix.correction(gaps);
      gaps += R * change;
    }
    EXPECT_LT(gaps.norm(), 1e-9) << fits;
  }
}

TEST(GluingMatrix, NamesCombinationsWithoutEffect) {
  // Unknowns 1 and 3 do the same.
  MatrixXd R = MatrixXd::Identity(4, 4);
  R(1, 3) = R(3, 1) = 1.0;
  GluingMatrix matrix;
  ASSERT_FALSE(matrix.set(R));
  EXPECT_FALSE(matrix.redundancy().has_no_response);
  const VectorXd& combination = matrix.redundancy().combination;
  EXPECT_NEAR(combination[0], 0.0, 1e-12);
  EXPECT_NEAR(combination[2], 0.0, 1e-12);
  EXPECT_NEAR(combination[1] / combination[3], -1.0, 1e-12);

  R = MatrixXd::Identity(4, 4);
  R(2, 2) = 0.0;
  ASSERT_FALSE(matrix.set(R));
  EXPECT_TRUE(matrix.redundancy().has_no_response);
  EXPECT_EQ(matrix.redundancy().combination, VectorXd(VectorXd::Unit(4, 2)));
}

TEST(GluingMatrix, GoesOnAfterASnapshotWithTheSameBits) {
  GluingMatrix matrix, copy;
  ASSERT_TRUE(matrix.set(mixed_response()));
  matrix.scale_response(0.7);
  matrix.learn(VectorXd::Random(6), VectorXd::Random(6));
  matrix.keep(VectorXd::Random(6), VectorXd::Random(6));
  core::ArchiveWriter archive;
  matrix.save(archive);
  core::ArchiveReader reader(archive.bytes());
  copy.restore(reader);
  const VectorXd gaps = VectorXd::Random(6);
  EXPECT_EQ(matrix.correction(gaps), copy.correction(gaps));
  EXPECT_EQ(matrix.fitted_correction(gaps), copy.fitted_correction(gaps));
}

}  // namespace gluing_matrix_test
}  // namespace tieline::coupling
