#pragma once

#include <string>
#include <vector>

#include "core/archive.hpp"
#include "core/domain.hpp"
#include "wave/sample.hpp"
#include "wave/track.hpp"

namespace tieline::core {

/// The law that holds at a port at every stage time: a * effort + Z * flow = w(t), effort being the force *on* the
/// component. Line: a = 1, Z > 0. Prescribed effort: a = 1, Z = 0. Prescribed motion: a = 0, Z = 1.
struct PortLaw {
  double a = 1.0;
  double impedance = 0.0;  ///< Z [N s/m] or [N m s/rad]
};

/// What a component's equations say about one port at one time.
struct PortOutput {
  double position = 0.0;
  double flow = 0.0;
  double flow_rate = 0.0;
  double effort = 0.0;  ///< on the component
  double effort_rate = 0.0;
};

/// One axis of an interface: the law, and the track that supplies w. It never blocks and does not know how it is
/// coupled. A signal input is a port with w alone (value = w); a signal output only publishes.
///
/// Owned by its component. The engine or a group sets the law before the start and feeds `incoming` between windows;
/// the component reads `w` while it steps and appends to `outbox` after accepted steps. Whoever drives the component
/// empties the outbox.
struct Port {
  std::string name{};
  Domain domain = Domain::translation;
  Causality causality = Causality::takes_force;
  PortLaw law{};
  wave::Track incoming{};
  std::vector<wave::Sample> outbox{};
  bool is_connected = false;
  bool feeds_outside = false;  ///< an output of a group's member that also leaves the group
  bool is_bundled = false;     ///< published at the same times as the other ports of its interface
  /// Where the samples of a signal could not follow it: by how much they were off, as a share of its size. Set by the
  /// component.
  double coarseness = 0.0;
  /// Massless: its motion is whatever balances the wave, so that it starts as its partner does. Set by the component's
  /// start.
  bool follows_wave = false;
  /// Whether the samples' position is the integral of their flow. Not so for angular velocities in a turning frame.
  bool has_position = true;
  /// How the samples of this port are best joined; set by the component (its solver knows).
  wave::Interpolation preferred = wave::Interpolation::cubic;

  [[nodiscard]] wave::TrackValue w(double t, wave::Side side) const { return incoming.at(t, side); }
  /// Effort on the component that the law gives for a flow; only for a = 1.
  [[nodiscard]] double effort_for(double flow, double w_now) const { return w_now - law.impedance * flow; }
};

/// A track's knots and interpolation, for snapshots.
void save_track(ArchiveWriter& archive, const wave::Track& track);
void restore_track(ArchiveReader& archive, wave::Track& track);

}  // namespace tieline::core
