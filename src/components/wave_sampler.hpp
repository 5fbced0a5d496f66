#pragma once

#include <functional>
#include <span>
#include <vector>

#include "components/ode_model.hpp"
#include "core/archive.hpp"
#include "core/port.hpp"

namespace tieline::components {

/// Decides where within a step the ends of lines are sampled, so that the pieces which receivers draw between samples
/// follow the wave that leaves.
///
/// The wave that leaves, a = 2 Z v - w, has all the structure of the wave that comes in, and the flow of a mass has
/// little of it: steps that follow the states well may span several knots of w. Before a sample is taken, the leaving
/// wave is compared with the piece that its ends alone would give, at the knots of w and between. Where they differ by
/// more than a tolerance of the effort's size, it is sampled at the knot nearest to the middle too, and both parts are
/// looked at alike. The motion in between is what the waves alone give a node's inertia (`OdeModel::driven_motion`),
/// which is exact, and one polynomial for the rest, that of the step's ends: taken from the solver's interpolation at
/// each sample, position, flow and rate would differ by the errors of the step, and these differences, divided by the
/// short times between, would make up waves of their own. No equation is evaluated.
/// Where the flow is no state (massless nodes, prescribed motions) what leaves may be faster than what comes in: there
/// the leaving wave itself is looked at.
///
/// Owned by a component, and used by its thread alone. `start` once the ports are connected; `note` after each sample;
/// `sample` before the next, unless a break lies between. Nothing is allocated after `start` but in outboxes.
class WaveSampler {
 public:
  /// What the ports' outputs are at a time of the last accepted step.
  using Look = std::function<void(double t, std::span<PortOutput> outputs)>;
  /// Puts a sample of a port into its outbox.
  using Publish = std::function<void(std::size_t port, double t, const PortOutput& output)>;

  /// Ends whose flows are states are sampled only `with_states`.
  void start(OdeModel& model, double relative_tolerance, bool with_states = true);
  /// Whether there is any end of a line.
  [[nodiscard]] bool has_waves() const { return !units_.empty(); }
  /// Whether one of them is without inertia.
  [[nodiscard]] bool has_algebraic() const { return has_algebraic_; }
  /// When the ends were sampled last [s].
  [[nodiscard]] double published_to() const { return published_.t; }
  void note(double t, wave::Side side, std::span<const PortOutput> outputs);
  /// The outputs have been worked out anew since the last call of `sample`.
  void forget_end() { is_end_known_ = false; }
  /// Takes the samples that are needed between the last one and that at `t`, which has `outputs`.
  void sample(double t, std::span<const PortOutput> outputs, const Look& look, const Publish& publish);

  /// Looks at the waves that will have come in by a time: a front may be the first that is heard of a partner.
  void look_ahead(double until);
  /// Size of the efforts at a port that tolerances count from; 0 where it is no end of a line, or nothing has come yet.
  [[nodiscard]] double effort_size(std::size_t port) const;

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  /// One end of a line, along one axis.
  struct Wave {
    std::size_t port = 0;
    std::size_t size = 0;  ///< index of its size
    double origin = 0.0;   ///< that the port's positions count from [m]
  };
  /// Waves that are sampled at the same times.
  struct Unit {
    std::size_t first = 0, last = 0;  ///< waves, end excluded
    std::vector<std::size_t> ports{};
    bool is_algebraic = false;
  };
  struct Size {
    double effort = 0.0;  ///< largest so far
    double wave = 0.0;    ///< largest |w| or |a| so far
  };
  /// The waves that leave, at one time.
  struct Instant {
    double t = 0.0;
    std::vector<wave::Knot> leaving{};
  };
  struct Level {
    Instant split{};
    std::vector<PortOutput> outputs{};  ///< at the split
    std::vector<char> is_off{};         ///< by unit
  };

  void add_unit(OdeModel& model, std::size_t port);
  void fill(double t, wave::Side side, std::span<const PortOutput> outputs, Instant& instant);
  void refine(const Instant& from, const Instant& to, std::size_t depth);
  /// The same for flows that are as smooth as the states.
  void follow(const Wave& wave, const wave::Knot& from, const wave::Knot& to, std::size_t depth);
  /// Draws what is left of a port's motion from `published_` to `end_` without what the waves give it.
  void draw_rest(const Wave& wave);
  [[nodiscard]] wave::TrackValue motion_at(const Wave& wave, double t) const;
  [[nodiscard]] wave::Knot leaving_at(const Wave& wave, double t) const;
  void publish_smooth(const Wave& wave, double t) const;
  /// Whether the leaving wave runs otherwise than the piece between two samples would.
  [[nodiscard]] bool is_structured(const Wave& wave, const wave::Knot& from, const wave::Knot& to) const;
  /// Whether one of a unit's pieces is off by more than a share of what is allowed.
  [[nodiscard]] bool is_off(const Unit& unit, const Instant& from, const Instant& to, const Instant& seen,
                            double share = 1.0) const;
  /// Whether a single look, after many stretches in which all waves stayed close to their pieces, finds them so again.
  bool is_calm();
  void look_at(double t, std::span<PortOutput> outputs, Instant& instant);
  /// The time at which to sample between two: at a knot that comes in, or in the middle.
  [[nodiscard]] double split_time(double from, double to, std::span<const Wave> waves) const;
  [[nodiscard]] double allowed(const Wave& wave, double integral, double length) const;

  double relative_tolerance_ = 0.0;
  const OdeModel* model_ = nullptr;
  std::span<core::Port> ports_{};
  std::vector<Wave> waves_;
  std::vector<Unit> units_;
  std::vector<Size> sizes_;
  std::vector<std::size_t> size_of_;  ///< by port: the index of its size, or that behind the last
  Instant published_{};
  std::vector<PortOutput> published_outputs_;  ///< by port
  bool has_algebraic_ = false;
  int calm_stretches_ = 0;  ///< in a row

  // Of the stretch at hand.
  const Look* look_ = nullptr;
  const Publish* publish_ = nullptr;
  bool is_one_piece_ = false;  ///< no wave that comes in has a knot within it
  std::vector<Level> levels_;
  Instant end_{}, aside_{};
  bool is_end_known_ = false;  ///< `end_` is of the stretch that is sampled, and not published yet
  wave::Piece rest_{};         ///< of the wave that is followed
  std::vector<PortOutput> outputs_;
  std::span<const PortOutput> end_outputs_{};
};

}  // namespace tieline::components
