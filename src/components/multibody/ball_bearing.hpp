#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bearings/cage_contact.hpp"
#include "bearings/groove_contact.hpp"
#include "components/multibody/kinematics.hpp"
#include "components/multibody/pair_force.hpp"
#include "core/recording.hpp"
#include "core/scene.hpp"

namespace tieline::components {

/// The balls and cages of a ball bearing, between two rings that are frames of the system.
///
/// Own states: of each ball r (3), v (3) and angular velocity (3), all in the system's axes, since a sphere needs no
/// orientation; of each flat spot on a ball its direction (3); of each cage those of a body (BodyStates). Rows follow
/// one another: ball i of row k is k * balls + i.
///
/// Call order: `initial_state` with the frames at the start; then `evaluate`, and what follows from it;
/// `differentiate`, and what follows from that. Nothing but `initial_state` keeps anything beyond the last evaluation,
/// and nothing allocates after construction. One thread at a time.
class BallBearing {
 public:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  /// A small change of how a frame lies and moves: displacement, rotation, velocity, angular velocity.
  using FrameChange = Eigen::Matrix<double, 12, 1>;
  enum Ring : std::size_t { kOuter = 0, kInner = 1 };

  BallBearing(const BallBearingSpec& spec, const Eigen::Vector3d& gravity);

  [[nodiscard]] const BallBearingSpec& spec() const { return spec_; }
  [[nodiscard]] int frame(Ring ring) const { return ring == kOuter ? spec_.outer : spec_.inner; }
  [[nodiscard]] std::size_t state_count() const { return state_count_; }
  [[nodiscard]] bool is_velocity(std::size_t state) const;
  /// 0 of lengths, 1 of directions and turns, 2 of velocities, 3 of angular velocities.
  [[nodiscard]] int kind_of(std::size_t state) const;
  [[nodiscard]] double ball_radius() const { return law_.ball_radius; }

  /// Balls in balance between the rings, which are taken to turn as they do; balls and cages roll with them.
  void initial_state(const FrameMotion& outer, const FrameMotion& inner, std::span<double> own) const;
  /// Directions and orientations back to unit length. True if something was changed.
  bool normalise(std::span<double> own) const;

  void evaluate(const FrameMotion& outer, const FrameMotion& inner, std::span<const double> own);
  /// What acts on a ring's frame, at its origin.
  [[nodiscard]] const PairWrench& load(Ring ring) const { return loads_[ring]; }
  [[nodiscard]] std::span<const double> rates() const { return rates_; }
  [[nodiscard]] double elastic_energy() const { return elastic_; }                               ///< [J]
  [[nodiscard]] double lost_power() const { return lost_[0] + lost_[1] + lost_[2] + lost_[3]; }  ///< [W]
  [[nodiscard]] double kinetic_energy(std::span<const double> own) const;
  /// Counted from the own origin at `origin`.
  [[nodiscard]] double weight_energy(std::span<const double> own, const Eigen::Vector3d& origin) const;
  /// The largest acceleration of a ball's or cage's centre [m/s^2].
  [[nodiscard]] double largest_acceleration() const;

  /// Derivatives of the rates and loads by the own states and by the rings' motion.
  void differentiate(const FrameMotion& outer, const FrameMotion& inner, std::span<const double> own);
  /// Whether a state acts on rings; and the change of the loads (force, torque) by it.
  [[nodiscard]] bool acts_on_rings(std::size_t state) const;
  [[nodiscard]] std::array<Vector6, 2> loads_by(std::size_t state) const;
  /// How the loads of a ring change with its motion.
  [[nodiscard]] Vector6 load_by(Ring ring, const FrameChange& change) const;
  /// Adds how the own rates change with the motion of a ring.
  void add_rates_by(Ring ring, const FrameChange& change, std::span<double> rates) const;
  /// f(row, column), f(row, column, value) for all entries between own states; f(row) for what follows a ring.
  template <class F>
  void for_pattern(F&& f) const {
    for (const auto& [row, column] : pattern_) f(row, column);
  }
  template <class F>
  void for_entries(F&& f) const {
    for (std::size_t i = 0; i < pattern_.size(); ++i) f(pattern_[i].first, pattern_[i].second, entries_[i]);
  }
  template <class F>
  void for_states_moved_by_rings(F&& f) const {
    for (const std::size_t state : moved_by_rings_) f(state);
  }

  [[nodiscard]] std::vector<core::Column> columns() const;
  /// At the motion of the last `evaluate`; `origin` of the system in the world.
  void record(const FrameMotion& outer, const FrameMotion& inner, std::span<const double> own,
              const Eigen::Vector3d& origin, std::span<double> values) const;
  /// Adds balls and cages, under the names of their columns.
  void add_to(core::Scene& scene) const;

 private:
  static constexpr std::size_t kBallStates = 9;
  struct Spot {
    std::size_t ball = 0;
    double length = 0.0, depth = 0.0, angle = 0.0;
  };
  /// Loads of a ball's contacts, in the order of the enumeration.
  enum Contact : std::size_t { kAtOuter = 0, kAtInner = 1, kAtPocket = 2, kContacts = 3 };
  struct BallLoads {
    std::array<Vector6, kContacts> by{};  ///< force and moment on the ball, about its centre
    std::array<double, kContacts> lost{};
    double elastic = 0.0, at_pocket = 0.0;

    void add(Contact contact, const bearings::ContactLoad& load) {
      by[contact] << load.force, load.moment;
      elastic += load.elastic;
      lost[contact] = load.lost;
    }
  };
  using ByBall = Eigen::Matrix<double, 6, 9>;
  using ByTurn = Eigen::Matrix<double, 6, 6>;  ///< by rotation and angular velocity of the partner
  struct BallSlopes {
    std::array<ByBall, kContacts> by_ball{};
    std::array<ByTurn, kContacts> by_turn{};
  };
  struct Guide {
    Vector6 on_cage = Vector6::Zero(), on_ring = Vector6::Zero();
    double normal = 0.0, elastic = 0.0, lost = 0.0;
  };
  struct GuideSlopes {
    Eigen::Matrix<double, 12, 12> by_cage, by_ring;  ///< of both loads
  };

  [[nodiscard]] std::size_t row_of(std::size_t ball) const { return ball / per_row_; }
  [[nodiscard]] std::size_t ball_count() const { return per_row_ * rows_.size(); }
  [[nodiscard]] std::size_t first_of_spot(std::size_t spot) const { return kBallStates * ball_count() + 3 * spot; }
  [[nodiscard]] std::size_t first_of_cage(std::size_t row) const {
    return first_of_spot(spots_.size()) + static_cast<std::size_t>(BodyStates::kRigid) * row;
  }
  [[nodiscard]] bearings::BallState ball_of(std::span<const double> own, std::size_t ball) const;
  [[nodiscard]] bearings::CageMotion cage_of(std::span<const double> own, std::size_t row) const;
  [[nodiscard]] bool is_guided() const { return cages_ > 0 && law_.guidance != bearings::CageGuidance::balls; }
  [[nodiscard]] Ring guide() const { return law_.guidance == bearings::CageGuidance::inner_ring ? kInner : kOuter; }
  void place(const FrameMotion& outer, const FrameMotion& inner, std::span<const double> own);
  [[nodiscard]] bearings::BallSpot spot_at(std::size_t ball, const bearings::GrooveContact& contact,
                                           const bearings::RingMotion& ring, const bearings::BallState& state,
                                           std::span<const double> own) const;
  void load_ball(std::size_t ball, std::span<const double> own, BallLoads& loads) const;
  /// All of them, those of a row at once.
  void load_balls(std::span<const double> own, std::span<BallLoads> loads) const;
  void load_pocket(std::size_t ball, std::span<const double> own, BallLoads& loads) const;
  [[nodiscard]] Guide load_guide(const bearings::CageMotion& cage, const bearings::RingMotion& ring) const;
  /// Adds the opposite of a load on a ball to what acts on a partner at `arm` before the ball's centre.
  static void react(const Vector6& on_ball, const Eigen::Vector3d& arm, Vector6& on_partner);
  void sum(std::span<const double> own);
  void sum_cage(std::size_t row, std::span<const double> own);
  [[nodiscard]] Vector6 cage_rates(std::size_t row, const Vector6& load) const;

  // ball_bearing_jacobian.cpp
  void find_pattern();
  void add(std::size_t row, std::size_t column, double value);
  void differ_balls(std::span<const double> own);
  void differ_partners(std::span<const double> own);
  void differ_guides();
  void add_ball_entries(std::span<const double> own);
  void add_spot_entries(std::span<const double> own);
  void add_cage_entries(std::span<const double> own);
  /// How a load on a ball changes with the motion of its partner.
  [[nodiscard]] static Vector6 change_by(const ByBall& by_ball, const ByTurn& by_turn, const FrameChange& change);
  /// The change of a cage's motion with one of its states.
  [[nodiscard]] FrameChange cage_change(std::size_t row, int state, std::span<const double> own) const;

  BallBearingSpec spec_;
  Eigen::Vector3d gravity_;
  bearings::Mechanics mechanics_;
  std::vector<bearings::RowGrooves> rows_;
  std::vector<std::array<bearings::GrooveContact, 2>> contacts_;  ///< of each row, by Ring
  bearings::CageLaw law_;
  std::vector<Spot> spots_;
  std::size_t per_row_ = 0, cages_ = 0, state_count_ = 0;
  double drag_ = 0.0;  ///< force over velocity squared [N s^2/m^2]
  Eigen::Vector3d cage_inertia_;

  // The evaluation at hand.
  std::array<bearings::RingMotion, 2> rings_{};
  std::vector<bearings::CageMotion> cage_motions_;
  std::vector<BallLoads> ball_loads_, moved_loads_;
  mutable std::vector<bearings::ContactLoad> row_loads_;  ///< workspace: of one row in one groove
  mutable std::vector<bearings::BallSpot> row_spots_;
  std::vector<Guide> guides_;
  std::vector<Vector6> cage_loads_;
  std::vector<Eigen::Vector3d> pockets_;  ///< of the balls, in axes of their cage
  std::array<PairWrench, 2> loads_{};
  std::vector<double> rates_;
  double elastic_ = 0.0;
  std::array<double, kContacts + 1> lost_{};  ///< by Contact, guidance with the pockets; then by drag

  mutable std::vector<std::array<bearings::ContactDetails, 2>> details_;  ///< workspace of `record`

  // Its derivatives.
  std::vector<std::pair<std::size_t, std::size_t>> pattern_;
  std::vector<double> entries_;
  std::vector<std::size_t> column_begin_;  ///< in the pattern, which goes by columns
  std::vector<std::size_t> moved_by_rings_;
  std::vector<BallSlopes> slopes_;
  std::vector<std::array<Eigen::Matrix<double, 6, 3>, 2>> spot_slopes_;  ///< by the direction of a spot, at both rings
  std::vector<GuideSlopes> guide_slopes_;
  std::vector<double> moved_;
};

}  // namespace tieline::components
