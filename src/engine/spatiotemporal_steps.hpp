#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/component.hpp"
#include "engine/group_link.hpp"

namespace tieline::engine {

/// Steps the members of a group by the control algorithm of [Zou2016] section 4, as it is printed there.
///
///   Ctrlstep -> control_, Accstep -> Component::time(), AccSimustep -> the control step's number times Ctrlstep
///
/// Control steps have the length of the shortest step. In each of them, one member after the other takes one step of
/// its own if the control time has reached the time that the member has accumulated. Before its step a member receives
/// what its partners have at its own time, from their last two samples: interpolated where the partner has passed that
/// time
/// ("forward"), extrapolated where it has not ("backward"). It keeps that for the whole step; a motion moves on with
/// its velocity. Of first order in the steps.
///
/// Three things differ from the print, which are mistakes there: each member counts its own steps, the last control
/// step is not one too many, and times are products and not sums. A member that chooses its steps makes control steps
/// as short as can be, so that who is furthest behind goes first.
class SpatiotemporalSteps {
 public:
  SpatiotemporalSteps(std::span<const std::unique_ptr<core::Component>> members, std::vector<double> steps,
                      std::span<GroupLink> links, double control_step);

  /// Once all tracks have their first knots.
  void start(double t0);
  /// All members to `end`; where a step reaches beyond it, it is cut.
  core::Result<void> run(const core::Window& window, double end);

  /// What a receiver has used since the last `forget`, and what its sender had, along an axis: f(had, used) with the
  /// sender's track, whose last knot is at the time of `used`.
  template <class F>
  void compare(std::size_t link, bool is_from_a, std::size_t axis, F&& f) {
    const Direction& direction = directions_[direction_of_[link][is_from_a ? 0 : 1]];
    had_.clear();
    for (std::size_t i = 0; i < direction.received[axis].size(); ++i) {
      for (const bool is_end : {false, true}) f(std::as_const(had_), compared(direction, axis, i, is_end));
    }
  }
  /// Samples of one direction of a link since then, by port.
  [[nodiscard]] std::span<const std::vector<wave::Sample>> found(std::size_t link, bool is_from_a) const;
  void forget();
  [[nodiscard]] double control_step() const { return control_; }

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  struct Direction {
    std::size_t link = 0;
    int sender = 0, receiver = 0;
    core::Port *from = nullptr, *to = nullptr;
    const core::Relation* relation = nullptr;
    std::size_t axes = 1, ports = 1;
    std::size_t given = 1;  ///< ports whose tracks the receiver reads: forces come without an orientation
    std::vector<std::array<wave::Knot, 2>> last{};    ///< by port: the sender's last two
    std::vector<std::vector<wave::Sample>> found{};   ///< by port
    std::vector<std::vector<wave::Knot>> received{};  ///< by port
    std::vector<wave::Track> record{};                ///< by port: of the sender
  };
  [[nodiscard]] wave::Knot knot_of(const Direction& direction, std::size_t port, const wave::Sample& sample) const;
  void give_inputs(int member, double t);
  void collect(int member);
  [[nodiscard]] std::size_t next_member(double end) const;
  /// Of an input, at the start or the end of its step: what was used; what was had is appended to `had_`.
  wave::TrackValue compared(const Direction& direction, std::size_t axis, std::size_t input, bool is_end);

  std::vector<core::Component*> members_;
  std::vector<double> steps_;
  std::vector<std::int64_t> taken_;  ///< steps of members that have one of their own
  std::vector<Direction> directions_;
  std::vector<std::array<std::size_t, 2>> direction_of_;
  double control_ = 0.0;
  double t0_ = 0.0, end_ = 0.0;
  wave::Track had_{};  ///< workspace of `compare`
};

}  // namespace tieline::engine
