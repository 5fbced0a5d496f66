#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/energy_watch.hpp"
#include "core/relation.hpp"
#include "coupling/defect_meter.hpp"
#include "coupling/sampled.hpp"
#include "engine/group_link.hpp"
#include "engine/layered_steps.hpp"
#include "engine/spatiotemporal_steps.hpp"

namespace tieline::engine {

/// What a sender has turned about one axis, whose samples have no position; the sum of its angular velocity.
struct TurnedAngle {
  /// The angle [rad] at a sample.
  double note(const wave::Sample& sample) {
    angle += is_known != 0 ? 0.5 * (sample.t - t) * (sample.flow + rate) : 0.0;
    t = sample.t, rate = sample.flow, is_known = 1;
    return angle;
  }
  double t = 0.0, rate = 0.0, angle = 0.0;
  std::uint64_t is_known = 0;  ///< a whole word, so that snapshots have no gaps
};

/// What both directions of an axis of a link have got wrong; `a` and `b` are the receivers.
struct LinkDefects {
  coupling::DefectMeter at_a{}, at_b{};
  coupling::ResponseFit of_a{}, of_b{};
  TurnedAngle turned_a{}, turned_b{};
};

struct GroupOptions {
  core::Schedule schedule = core::Schedule::furthest_behind;
  double macro_step = 0.0;  ///< [s], for jacobi and gauss_seidel
  core::LayerSettings layers{};
  std::vector<LayeredMember> members{};  ///< where they have steps of their own
  bool is_outermost = true;              ///< whether rows of members may be passed on when a window is complete
};

/// Components that are joined without delay, seen from outside as one component.
///
/// Each member keeps its own solver and steps; what it needs of a partner is interpolated between the partner's samples
/// or extrapolated beyond them. The order of steps follows from times and member numbers alone, so it is the same in
/// every run. Where members have steps of their own, LayeredSteps or SpatiotemporalSteps decides who steps. Ports
/// towards the outside stay with the members; the engine feeds and empties them directly.
class Group final : public core::Component {
 public:
  Group(std::string name, std::vector<std::unique_ptr<core::Component>> members, std::vector<GroupLink> links,
        GroupOptions options);

  [[nodiscard]] std::span<core::Port> ports() override { return {}; }
  [[nodiscard]] core::Capabilities capabilities() const override;
  [[nodiscard]] std::vector<core::Column> columns() const override { return {}; }
  void plan_recording(core::RecordPlan) override {}  // members record for themselves
  void current_values(std::span<double>) override {}

  core::Result<void> start(double t0) override;
  core::Result<void> advance(const core::Window& window) override;
  core::Result<double> step(double limit) override;
  void follow_steps(core::StepLog* log, core::StepLogUse use) override;
  [[nodiscard]] double time() const override { return time_; }

  core::Result<void> save(core::ArchiveWriter& archive) const override;
  core::Result<void> restore(core::ArchiveReader& archive) override;
  void save_accounts(core::ArchiveWriter& archive) const override;
  void restore_accounts(core::ArchiveReader& archive) override;
  [[nodiscard]] std::vector<core::Component*> parts() override;
  [[nodiscard]] core::Result<std::vector<core::Tie>> ties() override;
  [[nodiscard]] const core::Ending* ending() const override;
  [[nodiscard]] bool starts_twice() const override { return true; }
  [[nodiscard]] std::optional<core::Energy> energy() const override;
  [[nodiscard]] core::Statistics statistics() const override;

  /// What is recorded of a sampled link, and its values: what the audit finds, and the effort on either side as its own
  /// solver had it last. The side that takes motion sends its effort, the other one feels a guess of it.
  static constexpr std::size_t kMostLinkColumns = 19;
  [[nodiscard]] static std::vector<core::Column> link_columns(core::Domain domain);
  [[nodiscard]] std::array<double, kMostLinkColumns> link_values(std::size_t link) const;
  [[nodiscard]] const coupling::SampledAudit& audit(std::size_t link) const { return audits_[link]; }
  /// One for each axis.
  [[nodiscard]] std::span<const LinkDefects> defects(std::size_t link) const {
    return std::span(defects_).subspan(first_axis_[link], links_[link].axes());
  }
  [[nodiscard]] const GroupLink& link(std::size_t link) const { return links_[link]; }
  [[nodiscard]] std::uint64_t exchanges(std::size_t link) const { return exchanges_[link]; }
  [[nodiscard]] const core::Component& member(std::size_t index) const { return *members_[index]; }
  /// Null where members do not step in layers.
  [[nodiscard]] const LayeredSteps* layers() const { return layered_.get(); }
  [[nodiscard]] std::size_t width() const override { return layered_ != nullptr ? layered_->width() : 1; }

 private:
  core::Result<void> step_furthest_behind(const core::Window& window);
  [[nodiscard]] core::Error stopped_on_request() const;
  core::Result<void> step_together(const core::Window& window);
  core::Result<void> step_layers(const core::Window& window);
  core::Result<void> step_spatiotemporal(const core::Window& window);
  core::Result<void> land_on_save_point(const core::Window& window);
  /// What members with steps of their own have sent and used, for meters and accounts.
  void note_found(std::size_t link, bool is_from_a, std::span<const std::vector<wave::Sample>> found);
  void note_inputs_of_layers(std::size_t link, bool is_from_a);
  void note_inputs_of_steps(std::size_t link, bool is_from_a);
  [[nodiscard]] core::Error placed(core::Error error) const;
  core::Result<void> settle_members();
  void deliver_from(int member);
  /// What a link's side has published since, to the other one.
  void pass_on(std::size_t link, bool is_from_a);
  void clear_outbox(core::Port* first, std::size_t count);
  /// Ends in space that do not know their motion must be where their partners are.
  [[nodiscard]] core::Result<void> check_places() const;
  /// Members whose signals a member takes, and that take nothing of it in turn: they go first, so that nothing of their
  /// signals has to be guessed.
  void find_leaders();
  [[nodiscard]] std::optional<std::size_t> next_to_step(double end) const;
  core::Result<void> audit(double t);
  /// Stops a run whose links make far more energy than there is.
  core::Result<void> watch(double t);
  [[nodiscard]] core::Error exploded(std::size_t link, const std::string& what, double t) const;

  std::vector<std::unique_ptr<core::Component>> members_;
  std::vector<GroupLink> links_;
  GroupOptions options_;
  std::unique_ptr<LayeredSteps> layered_;
  std::unique_ptr<SpatiotemporalSteps> spatiotemporal_;
  double t0_ = 0.0;
  double time_ = 0.0;
  std::int64_t macro_steps_ = 0;  ///< completed, counted from t0
  std::vector<coupling::SampledAudit> audits_;
  /// Latest work [J], impulse [N s] and effort [N] on either side of an axis of a link.
  struct Passed {
    double work_a = 0.0, work_b = 0.0, impulse_a = 0.0, impulse_b = 0.0, effort_a = 0.0, effort_b = 0.0;
  };
  std::vector<std::size_t> first_axis_;  ///< of each link, among the axes of all
  std::vector<Passed> passed_;           ///< by axis
  std::vector<std::uint64_t> exchanges_;
  std::vector<std::vector<std::size_t>> leaders_;  ///< by member
  std::vector<LinkDefects> defects_;               ///< by axis
  double first_energy_ = 0.0;                      ///< in motion and springs at the start [J]
  double first_weight_ = 0.0;                      ///< potential energy of weights at the start [J]
  core::EnergyWatch watch_{};
};

}  // namespace tieline::engine
