#include "coupling/gluing_matrix.hpp"

#include <cmath>
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

TEST(GluingMatrix, LearnsTheMissingEntries) {
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
  ASSERT_EQ(matrix.silent_forces().cols(), 1);
  const VectorXd combination = matrix.silent_forces().col(0);
  EXPECT_NEAR(combination[0], 0.0, 1e-12);
  EXPECT_NEAR(combination[2], 0.0, 1e-12);
  EXPECT_NEAR(combination[1] / combination[3], -1.0, 1e-12);
  // Both carry half of what one would.
  const VectorXd gaps = (VectorXd(4) << 1.0, 2.0, 3.0, 2.0).finished();
  const VectorXd correction = matrix.correction(gaps);
  EXPECT_LT((correction - (VectorXd(4) << -1.0, -1.0, -3.0, -1.0).finished()).norm(), 1e-12);
  EXPECT_LT((matrix.reachable(gaps) - gaps).norm(), 1e-12);
  // A gap between what both close is out of reach.
  EXPECT_LT(matrix.reachable((VectorXd(4) << 0.0, 1.0, 0.0, -1.0).finished()).norm(), 1e-12);
  EXPECT_LT(matrix.effective((VectorXd(4) << 0.0, 1.0, 0.0, -1.0).finished()).norm(), 1e-12);

  R = MatrixXd::Identity(4, 4);
  R(2, 2) = 0.0;
  ASSERT_FALSE(matrix.set(R));
  ASSERT_EQ(matrix.silent_forces().cols(), 1);
  EXPECT_NEAR(std::abs(matrix.silent_forces()(2, 0)), 1.0, 1e-12);
  EXPECT_NEAR(matrix.correction(gaps)[2], 0.0, 1e-12);
}

/// Three translations and three rotations of a body that can neither leave a plane nor turn out of it; the plane's
/// normal is n. Units of torque differ from those of force by a factor of 1e4.
ProbedResponse planar_response(const Eigen::Vector3d& n, double noise) {
  ProbedResponse response{.gaps = MatrixXd::Zero(6, 6)};
  const Eigen::Matrix3d in_plane = Eigen::Matrix3d::Identity() - n * n.transpose();
  response.gaps.topLeftCorner(3, 3) = 2.0 * in_plane;
  response.gaps.bottomRightCorner(3, 3) = 1e8 * n * n.transpose();
  response.gaps += noise * MatrixXd::Random(6, 6);
  response.rounding = MatrixXd::Constant(6, 6, noise);
  response.group = {0, 0, 0, 1, 1, 1};
  response.natural = {0.0, 0.0};
  return response;
}

TEST(GluingMatrix, FindsRigidDirectionsInAnyAxesAboveTheirRounding) {
  for (const Eigen::Vector3d& axis : {Eigen::Vector3d(0, 0, 1), Eigen::Vector3d(0, 0.5, std::sqrt(0.75))}) {
    for (const double noise : {0.0, 1e-15, 1e-9}) {
      GluingMatrix matrix;
      EXPECT_FALSE(matrix.set(planar_response(axis, noise)));
      EXPECT_EQ(matrix.silent_forces().cols(), 3) << noise;
      EXPECT_LT(matrix.condition(), 10.0);
      // No force along the normal, none but the torque about it.
      const VectorXd correction = matrix.correction(VectorXd::Random(6));
      EXPECT_LT(std::abs(correction.head<3>().dot(axis)), 1e-6);
      EXPECT_LT(correction.tail<3>().cross(axis).norm(), 1e-6 * correction.norm());
    }
  }
}

TEST(GluingMatrix, OfADirectionThatIsOnlyHeavyIsNotSilent) {
  ProbedResponse response = planar_response(Eigen::Vector3d(0, 0, 1), 0.0);
  response.rounding.setConstant(1e-12);
  response.gaps(2, 2) = 1e-7;
  response.gaps(3, 3) = response.gaps(4, 4) = 1e1;
  GluingMatrix matrix;
  EXPECT_TRUE(matrix.set(response));
  const VectorXd gaps = VectorXd::Ones(6);
  EXPECT_LT((gaps + response.gaps * matrix.correction(gaps)).norm(), 1e-8);
}

TEST(GluingMatrix, OfAGroupThatDoesNotMoveAtAllIsSilentThere) {
  // Rotations are rounding, of which nothing is known but how much a free body would turn.
  ProbedResponse response{.gaps = MatrixXd::Identity(6, 6)};
  response.gaps.bottomRightCorner(3, 3) = 1e-17 * Eigen::Matrix3d::Random();
  response.group = {0, 0, 0, 1, 1, 1};
  response.natural = {0.0, 1.0};
  GluingMatrix matrix;
  EXPECT_FALSE(matrix.set(response));
  EXPECT_EQ(matrix.silent_forces().cols(), 3);
  EXPECT_EQ(matrix.correction(VectorXd::Ones(6)).tail<3>().norm(), 0.0);
}

TEST(GluingMatrix, LearnsNothingOfWhatIsSilent) {
  GluingMatrix matrix;
  const Eigen::Vector3d axis(0, 0, 1);
  matrix.set(planar_response(axis, 1e-12));
  for (int i = 0; i < 20; ++i) {
    const VectorXd forces = matrix.effective(VectorXd::Random(6));
    matrix.learn(forces, 1.2 * matrix.response_to(forces) + 1e-13 * VectorXd::Random(6));
  }
  EXPECT_LT(std::abs(matrix.correction(VectorXd::Ones(6))[2]), 1e-9);
}

TEST(GluingMatrix, ContinuesAfterASnapshotWithTheSameBits) {
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

TEST(GluingMatrix, KeepsItsSilenceOverASnapshot) {
  GluingMatrix matrix, copy;
  matrix.set(planar_response(Eigen::Vector3d(0.6, 0.0, 0.8), 1e-12));
  core::ArchiveWriter archive;
  matrix.save(archive);
  core::ArchiveReader reader(archive.bytes());
  copy.restore(reader);
  const VectorXd gaps = VectorXd::Random(6);
  EXPECT_EQ(matrix.correction(gaps), copy.correction(gaps));
  EXPECT_EQ(matrix.reachable(gaps), copy.reachable(gaps));
  EXPECT_EQ(matrix.effective(gaps), copy.effective(gaps));
}

}  // namespace gluing_matrix_test
}  // namespace tieline::coupling
