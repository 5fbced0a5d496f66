// Derivatives of a bearing. A contact depends on its ball and its ring, or cage, alone: one state of all balls is moved
// at a time, so that nine evaluations make the columns of all of them. Where a ring moves, the contact sees the
// opposite motion of the ball; only its rotation is something else, which takes six evaluations for all partners at
// once.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "components/multibody/ball_bearing.hpp"
#include "core/spatial.hpp"

namespace tieline::components {

using bearings::BallState;
using bearings::CageMotion;
using bearings::RingMotion;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

// Contacts change over micrometres, and friction over a tenth of its slip speed.
constexpr double kBallStep = 1e-8;       ///< [m], [rad]
constexpr double kBallSpeedStep = 1e-6;  ///< [m/s]
constexpr double kBallSpinStep = 1e-4;   ///< [rad/s]

void rotate(RingMotion& ring, const Vector3d& by) {
  const Matrix3d turn = core::rotation_by(by).toRotationMatrix();
  ring.x = turn * ring.x;
  ring.y = turn * ring.y;
  ring.z = turn * ring.z;
}

/// One of the twelve ways in which a partner can move; the step made.
template <class Partner>
double move(Partner& partner, int way) {
  const Vector3d e = Vector3d::Unit(way % 3);
  switch (way / 3) {
    case 0:
      partner.centre += kBallStep * e;
      return kBallStep;
    case 1:
      if constexpr (std::is_same_v<Partner, RingMotion>) {
        rotate(partner, kBallStep * e);
      } else {
        partner.axes = core::rotation_by(kBallStep * e).toRotationMatrix() * partner.axes;
      }
      return kBallStep;
    case 2:
      partner.velocity += kBallSpeedStep * e;
      return kBallSpeedStep;
    default:
      partner.spin += kBallSpinStep * e;
      return kBallSpinStep;
  }
}

}  // namespace

void BallBearing::find_pattern() {
  const auto block = [&](std::size_t row, std::size_t rows, std::size_t column, std::size_t columns) {
    for (std::size_t c = column; c < column + columns; ++c) {
      for (std::size_t r = row; r < row + rows; ++r) pattern_.emplace_back(r, c);
    }
  };
  for (std::size_t ball = 0; ball < ball_count(); ++ball) {
    const std::size_t first = kBallStates * ball;
    for (std::size_t k = 0; k < 3; ++k) pattern_.emplace_back(first + k, first + 3 + k);
    block(first + 3, 6, first, 9);
    if (cages_ == 0) continue;
    const std::size_t cage = first_of_cage(row_of(ball));
    block(cage + BodyStates::kVelocity, 6, first, 9);
    block(first + 3, 6, cage, BodyStates::kRigid);
  }
  for (std::size_t s = 0; s < spots_.size(); ++s) {
    const std::size_t ball = kBallStates * spots_[s].ball;
    block(first_of_spot(s), 3, first_of_spot(s), 3);
    block(first_of_spot(s), 3, ball + 6, 3);
    block(ball + 3, 6, first_of_spot(s), 3);
  }
  for (std::size_t row = 0; row < cages_; ++row) {
    block(first_of_cage(row), BodyStates::kRigid, first_of_cage(row), BodyStates::kRigid);
  }
  std::sort(pattern_.begin(), pattern_.end(),
            [](const auto& a, const auto& b) { return std::pair(a.second, a.first) < std::pair(b.second, b.first); });
  column_begin_.assign(state_count_ + 1, pattern_.size());
  for (std::size_t i = pattern_.size(); i-- > 0;) column_begin_[pattern_[i].second] = i;
  for (std::size_t c = state_count_; c-- > 0;) column_begin_[c] = std::min(column_begin_[c], column_begin_[c + 1]);
  entries_.assign(pattern_.size(), 0.0);
  for (std::size_t state = 0; state < state_count_; ++state) {
    if (is_velocity(state) && (state < first_of_spot(0) || is_guided())) moved_by_rings_.push_back(state);
  }
}

void BallBearing::add(std::size_t row, std::size_t column, double value) {
  const auto begin = pattern_.begin() + static_cast<std::ptrdiff_t>(column_begin_[column]);
  const auto end = pattern_.begin() + static_cast<std::ptrdiff_t>(column_begin_[column + 1]);
  const auto found =
      std::lower_bound(begin, end, row, [](const auto& entry, std::size_t r) { return entry.first < r; });
  entries_[static_cast<std::size_t>(found - pattern_.begin())] += value;
}

void BallBearing::differentiate(const FrameMotion& outer, const FrameMotion& inner, std::span<const double> own) {
  evaluate(outer, inner, own);
  differ_balls(own);
  differ_partners(own);
  if (is_guided()) differ_guides();
  std::fill(entries_.begin(), entries_.end(), 0.0);
  add_ball_entries(own);
  add_spot_entries(own);
  add_cage_entries(own);
}

void BallBearing::differ_balls(std::span<const double> own) {
  std::copy(own.begin(), own.end(), moved_.begin());
  for (std::size_t k = 0; k < kBallStates; ++k) {
    const double step = k < 3 ? kBallStep : k < 6 ? kBallSpeedStep : kBallSpinStep;
    for (std::size_t ball = 0; ball < ball_count(); ++ball) moved_[kBallStates * ball + k] += step;
    load_balls(moved_, moved_loads_);
    for (std::size_t ball = 0; ball < ball_count(); ++ball) {
      const std::size_t state = kBallStates * ball + k;
      for (std::size_t c = 0; c < kContacts; ++c) {
        slopes_[ball].by_ball[c].col(static_cast<Eigen::Index>(k)) =
            (moved_loads_[ball].by[c] - ball_loads_[ball].by[c]) / (moved_[state] - own[state]);
      }
      moved_[state] = own[state];
    }
  }
  for (std::size_t s = 0; s < spots_.size(); ++s) {
    for (std::size_t k = 0; k < 3; ++k) {
      moved_[first_of_spot(s) + k] += kBallStep;
      load_ball(spots_[s].ball, moved_, moved_loads_[0]);
      for (std::size_t c = 0; c < 2; ++c) {
        spot_slopes_[s][c].col(static_cast<Eigen::Index>(k)) =
            (moved_loads_[0].by[c] - ball_loads_[spots_[s].ball].by[c]) / kBallStep;
      }
      moved_[first_of_spot(s) + k] = own[first_of_spot(s) + k];
    }
  }
}

void BallBearing::differ_partners(std::span<const double> own) {
  const std::array<RingMotion, 2> rings = rings_;
  for (int k = 0; k < 6; ++k) {
    const int way = k < 3 ? 3 + k : 6 + k;
    double step = 0.0;
    for (RingMotion& ring : rings_) step = move(ring, way);
    for (CageMotion& cage : cage_motions_) step = move(cage, way);
    load_balls(own, moved_loads_);
    for (std::size_t ball = 0; ball < ball_count(); ++ball) {
      for (std::size_t c = 0; c < kContacts; ++c) {
        slopes_[ball].by_turn[c].col(k) = (moved_loads_[ball].by[c] - ball_loads_[ball].by[c]) / step;
      }
    }
    rings_ = rings;
    for (std::size_t row = 0; row < cages_; ++row) cage_motions_[row] = cage_of(own, row);
  }
}

void BallBearing::differ_guides() {
  const auto differ = [](const Guide& base, const Guide& moved, double step) {
    Eigen::Matrix<double, 12, 1> slope;
    slope << (moved.on_cage - base.on_cage) / step, (moved.on_ring - base.on_ring) / step;
    return slope;
  };
  const RingMotion& ring = rings_[guide()];
  for (std::size_t row = 0; row < cages_; ++row) {
    for (int way = 0; way < 12; ++way) {
      CageMotion cage = cage_motions_[row];
      RingMotion moved = ring;
      double step = move(cage, way);
      guide_slopes_[row].by_cage.col(way) = differ(guides_[row], load_guide(cage, ring), step);
      step = move(moved, way);
      guide_slopes_[row].by_ring.col(way) = differ(guides_[row], load_guide(cage_motions_[row], moved), step);
    }
  }
}

BallBearing::Vector6 BallBearing::change_by(const ByBall& by_ball, const ByTurn& by_turn, const FrameChange& change) {
  Vector6 result = -(by_ball.leftCols<3>() * change.head<3>());
  result -= by_ball.middleCols<3>(3) * change.segment<3>(6);
  result += by_turn.leftCols<3>() * change.segment<3>(3);
  result += by_turn.rightCols<3>() * change.tail<3>();
  return result;
}

void BallBearing::add_ball_entries(std::span<const double> own) {
  for (std::size_t ball = 0; ball < ball_count(); ++ball) {
    const std::size_t first = kBallStates * ball;
    ByBall total = ByBall::Zero();
    for (const ByBall& part : slopes_[ball].by_ball) total += part;
    total.topRows<3>() /= mechanics_.ball_mass;
    total.bottomRows<3>() /= mechanics_.ball_inertia;
    if (drag_ > 0.0) {
      const Vector3d v = ball_of(own, ball).velocity;
      const double speed = v.norm();
      total.block<3, 3>(0, 3) -= drag_ / mechanics_.ball_mass *
                                 Matrix3d(speed * Matrix3d::Identity() + v * v.transpose() / std::max(speed, 1e-30));
    }
    for (std::size_t k = 0; k < 3; ++k) add(first + k, first + 3 + k, 1.0);
    for (std::size_t c = 0; c < kBallStates; ++c) {
      for (std::size_t r = 0; r < 6; ++r) {
        add(first + 3 + r, first + c, total(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)));
      }
    }
    if (cages_ == 0) continue;
    const std::size_t row = row_of(ball), cage = first_of_cage(row) + BodyStates::kVelocity;
    const Vector3d arm = ball_of(own, ball).place - cage_motions_[row].centre;
    for (std::size_t c = 0; c < kBallStates; ++c) {
      Vector6 load = Vector6::Zero();
      react(slopes_[ball].by_ball[kAtPocket].col(static_cast<Eigen::Index>(c)), arm, load);
      if (c < 3) {
        load.tail<3>() -= Vector3d::Unit(static_cast<Eigen::Index>(c)).cross(ball_loads_[ball].by[kAtPocket].head<3>());
      }
      const Vector6 rate = cage_rates(row, load);
      for (std::size_t r = 0; r < 6; ++r) add(cage + r, first + c, rate[static_cast<Eigen::Index>(r)]);
    }
  }
}

void BallBearing::add_spot_entries(std::span<const double> own) {
  for (std::size_t s = 0; s < spots_.size(); ++s) {
    const std::size_t spot = first_of_spot(s), ball = kBallStates * spots_[s].ball;
    const Matrix3d turning = core::cross_matrix(ball_of(own, spots_[s].ball).spin);
    const Matrix3d direction = core::cross_matrix(Eigen::Map<const Vector3d>(own.data() + spot));
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        const auto i = static_cast<Eigen::Index>(r), j = static_cast<Eigen::Index>(c);
        add(spot + r, spot + c, turning(i, j));
        add(spot + r, ball + 6 + c, -direction(i, j));
        double force = 0.0, moment = 0.0;
        for (const auto& slope : spot_slopes_[s]) force += slope(i, j), moment += slope(i + 3, j);
        add(ball + 3 + r, spot + c, force / mechanics_.ball_mass);
        add(ball + 6 + r, spot + c, moment / mechanics_.ball_inertia);
      }
    }
  }
}

BallBearing::FrameChange BallBearing::cage_change(std::size_t row, int state, std::span<const double> own) const {
  FrameChange change = FrameChange::Zero();
  const double* y = own.data() + first_of_cage(row);
  const Matrix3d& A = cage_motions_[row].axes;
  if (state < BodyStates::kQuaternion) {
    change[state] = 1.0;
  } else if (state < BodyStates::kVelocity) {
    const Vector3d turn = rotation_by_quaternion(y + BodyStates::kQuaternion).col(state - BodyStates::kQuaternion);
    const Eigen::Map<const Vector3d> spin(y + BodyStates::kSpin);
    change.segment<3>(3) = A * turn;
    change.tail<3>() = A * turn.cross(spin);
  } else if (state < BodyStates::kSpin) {
    change[6 + state - BodyStates::kVelocity] = 1.0;
  } else {
    change.tail<3>() = A.col(state - BodyStates::kSpin);
  }
  return change;
}

void BallBearing::add_cage_entries(std::span<const double> own) {
  for (std::size_t row = 0; row < cages_; ++row) {
    const std::size_t cage = first_of_cage(row);
    const double* y = own.data() + cage;
    const CageMotion& motion = cage_motions_[row];
    const Vector3d spin = motion.axes.transpose() * motion.spin;
    const Vector3d torque = motion.axes.transpose() * cage_loads_[row].tail<3>();
    for (int k = 0; k < BodyStates::kRigid; ++k) {
      const FrameChange change = cage_change(row, k, own);
      const std::size_t column = cage + static_cast<std::size_t>(k);
      Vector6 load = Vector6::Zero();
      for (std::size_t ball = row * per_row_; ball < (row + 1) * per_row_; ++ball) {
        const BallSlopes& slopes = slopes_[ball];
        const Vector6 on_ball = change_by(slopes.by_ball[kAtPocket], slopes.by_turn[kAtPocket], change);
        if (on_ball.isZero(0.0) && ball_loads_[ball].by[kAtPocket].isZero(0.0)) continue;
        react(on_ball, ball_of(own, ball).place - motion.centre, load);
        load.tail<3>() += change.head<3>().cross(ball_loads_[ball].by[kAtPocket].head<3>());
        for (std::size_t r = 0; r < 3; ++r) {
          const auto i = static_cast<Eigen::Index>(r);
          add(kBallStates * ball + 3 + r, column, on_ball[i] / mechanics_.ball_mass);
          add(kBallStates * ball + 6 + r, column, on_ball[i + 3] / mechanics_.ball_inertia);
        }
      }
      if (is_guided()) load += guide_slopes_[row].by_cage.topRows<6>() * change;
      Vector6 rate = cage_rates(row, load);
      if (k >= BodyStates::kQuaternion && k < BodyStates::kVelocity) {
        const Vector3d turn = rotation_by_quaternion(y + BodyStates::kQuaternion).col(k - BodyStates::kQuaternion);
        rate.tail<3>() -= turn.cross(torque).cwiseQuotient(cage_inertia_);
      }
      if (k >= BodyStates::kSpin) {
        const Vector3d e = Vector3d::Unit(k - BodyStates::kSpin);
        const Vector3d turning =
            e.cross(Vector3d(cage_inertia_.cwiseProduct(spin))) + spin.cross(Vector3d(cage_inertia_.cwiseProduct(e)));
        rate.tail<3>() -= turning.cwiseQuotient(cage_inertia_);
      }
      for (std::size_t r = 0; r < 6; ++r) {
        add(cage + BodyStates::kVelocity + r, column, rate[static_cast<Eigen::Index>(r)]);
      }
    }
    for (std::size_t k = 0; k < 3; ++k) add(cage + k, cage + BodyStates::kVelocity + k, 1.0);
    const auto by_p = quaternion_rate_by_quaternion(y + BodyStates::kSpin);
    const auto by_w = quaternion_rate_by_spin(y + BodyStates::kQuaternion);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto r = static_cast<Eigen::Index>(i);
      for (std::size_t j = 0; j < 4; ++j) {
        add(cage + BodyStates::kQuaternion + i, cage + BodyStates::kQuaternion + j,
            by_p(r, static_cast<Eigen::Index>(j)));
      }
      for (std::size_t j = 0; j < 3; ++j) {
        add(cage + BodyStates::kQuaternion + i, cage + BodyStates::kSpin + j, by_w(r, static_cast<Eigen::Index>(j)));
      }
    }
  }
}

bool BallBearing::acts_on_rings(std::size_t state) const { return state < first_of_cage(0) || is_guided(); }

std::array<BallBearing::Vector6, 2> BallBearing::loads_by(std::size_t state) const {
  std::array<Vector6, 2> result{Vector6::Zero(), Vector6::Zero()};
  if (state < first_of_cage(0)) {
    const bool is_spot = state >= first_of_spot(0);
    const std::size_t part = is_spot ? (state - first_of_spot(0)) / 3 : state / kBallStates;
    const std::size_t ball = is_spot ? spots_[part].ball : part;
    const auto k = static_cast<Eigen::Index>(is_spot ? (state - first_of_spot(0)) % 3 : state % kBallStates);
    for (std::size_t ring = 0; ring < 2; ++ring) {
      const Vector6 change =
          is_spot ? Vector6(spot_slopes_[part][ring].col(k)) : Vector6(slopes_[ball].by_ball[ring].col(k));
      react(change, ball_of(moved_, ball).place - rings_[ring].centre, result[ring]);
      if (!is_spot && k < 3) result[ring].tail<3>() -= Vector3d::Unit(k).cross(ball_loads_[ball].by[ring].head<3>());
    }
    return result;
  }
  const std::size_t row = (state - first_of_cage(0)) / BodyStates::kRigid;
  const auto k = static_cast<int>((state - first_of_cage(0)) % BodyStates::kRigid);
  result[guide()] = guide_slopes_[row].by_cage.bottomRows<6>() * cage_change(row, k, moved_);
  return result;
}

BallBearing::Vector6 BallBearing::load_by(Ring ring, const FrameChange& change) const {
  Vector6 result = Vector6::Zero();
  for (std::size_t ball = 0; ball < ball_count(); ++ball) {
    const Vector6 on_ball = change_by(slopes_[ball].by_ball[ring], slopes_[ball].by_turn[ring], change);
    react(on_ball, ball_of(moved_, ball).place - rings_[ring].centre, result);
    result.tail<3>() += change.head<3>().cross(ball_loads_[ball].by[ring].head<3>());
  }
  for (std::size_t row = 0; is_guided() && ring == guide() && row < cages_; ++row) {
    result += guide_slopes_[row].by_ring.bottomRows<6>() * change;
  }
  return result;
}

void BallBearing::add_rates_by(Ring ring, const FrameChange& change, std::span<double> rates) const {
  for (std::size_t ball = 0; ball < ball_count(); ++ball) {
    const Vector6 on_ball = change_by(slopes_[ball].by_ball[ring], slopes_[ball].by_turn[ring], change);
    Eigen::Map<Vector3d>(rates.data() + kBallStates * ball + 3) += on_ball.head<3>() / mechanics_.ball_mass;
    Eigen::Map<Vector3d>(rates.data() + kBallStates * ball + 6) += on_ball.tail<3>() / mechanics_.ball_inertia;
  }
  for (std::size_t row = 0; is_guided() && ring == guide() && row < cages_; ++row) {
    Eigen::Map<Vector6>(rates.data() + first_of_cage(row) + BodyStates::kVelocity) +=
        cage_rates(row, guide_slopes_[row].by_ring.topRows<6>() * change);
  }
}

}  // namespace tieline::components
