#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/component.hpp"
#include "core/sampling.hpp"
#include "coupling/layer_plan.hpp"
#include "engine/group_link.hpp"
#include "engine/held_sink.hpp"

namespace tieline::engine {

/// What a group must know of a member that steps in layers.
struct LayeredMember {
  double step = 0.0;                 ///< [s]; 0: of its own choice
  bool can_cut = true;               ///< whether it can take shorter steps than its own
  std::vector<core::Port*> ports{};  ///< of it and of all that it is made of
  std::vector<HeldSink*> sinks{};    ///< into which they write; not owned
};

/// What extrapolation has cost one direction of one axis of a connection; shares of the range of what was carried.
struct InputErrors {
  double largest_extrapolated = 0.0;  ///< of the first guess of a control step
  double largest_used = 0.0;          ///< of what was used in the steps that count
  std::uint64_t extrapolations = 0;   ///< control steps in which the receiver was ahead of the sender
};

/// What control steps of one cluster have taken.
struct LayerFigures {
  std::uint64_t steps = 0;
  std::uint64_t repeats = 0;
  std::uint64_t most_repeats = 0;  ///< of one step
  std::uint64_t halvings = 0;
  std::uint64_t unsettled = 0;           ///< steps whose inputs were still wrong after the last repeat
  double shortest = 0.0, longest = 0.0;  ///< [s]
};

[[nodiscard]] std::vector<coupling::LayerEdge> layer_edges(std::span<const GroupLink> links);

/// Steps the members of a group in layers: each keeps its own steps, and exchanges follow a virtual time line.
///
/// The clusters of coupling::LayerPlan nest. A control step of a cluster runs its units stage by stage, those of one
/// stage on whatever threads are free. A unit gets from those of earlier stages all that they have found in this
/// control step, and interpolates; what units of later stages send, it extrapolates. When all have come to the end, the
/// extrapolations are compared with what was found in their place. Where one is wrong by more than the tolerance, the
/// members go back by their snapshots and take the control step again, with what the others found the last time. A
/// control step that does not settle is halved. Nothing of a repeated step is left: rows are held back, samples
/// dropped.
///
/// Extrapolations of a partner that has faster steps go by its samples at the ends of control steps, which are as far
/// apart as the extrapolation reaches.
///
/// Call order: `start` once all tracks have their first knots; then `run` for one stretch after another, and `forget`
/// after each; `finish` at the end of a window. One thread, which may bring others (Window::pool). All results are the
/// same for any number of threads.
class LayeredSteps {
 public:
  LayeredSteps(std::span<const std::unique_ptr<core::Component>> members, std::vector<LayeredMember> specs,
               std::span<GroupLink> links, const core::LayerSettings& settings);

  void start();
  /// All members from `begin` to `end`.
  core::Result<void> run(const core::Window& window, double begin, double end);
  /// Samples of one direction of a link that `run` has found, by port.
  [[nodiscard]] std::span<const std::vector<wave::Sample>> found(std::size_t link, bool is_from_a) const;
  /// What was used in place of a found sample along an axis; nothing where the receiver interpolated.
  [[nodiscard]] const wave::TrackValue* used(std::size_t link, bool is_from_a, std::size_t axis,
                                             std::size_t number) const;
  /// What was found, for meters, which append to it.
  [[nodiscard]] wave::Track& record(std::size_t link, bool is_from_a, std::size_t axis);
  /// Forgets what was found.
  void forget();
  /// Leaves in the outboxes of ports towards the outside what these have sent.
  void finish();
  /// Passes on the rows that were held back.
  void release_rows();

  [[nodiscard]] const coupling::LayerPlan& plan() const { return plan_; }
  [[nodiscard]] double control_step() const { return plan_.clusters.back().control_step; }
  [[nodiscard]] const LayerFigures& figures(std::size_t cluster) const { return clusters_[cluster].figures; }
  [[nodiscard]] bool repeats() const { return clusters_.back().repeats; }
  /// Errors of one direction of a link, of its worst axis.
  [[nodiscard]] InputErrors errors(std::size_t link, bool is_from_a) const;
  [[nodiscard]] std::size_t width() const;

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);
  void save_accounts(core::ArchiveWriter& archive) const;
  void restore_accounts(core::ArchiveReader& archive);

 private:
  /// Smallest and largest values so far, and of their integrals.
  struct Range {
    void note(const wave::Knot& knot);
    [[nodiscard]] double value() const;
    [[nodiscard]] double integral() const;
    double least = 0.0, most = 0.0, least_integral = 0.0, most_integral = 0.0;
    std::uint64_t is_known = 0;  ///< a whole word, so that snapshots have no gaps
  };
  /// What one side of a link sends to the other.
  struct Direction {
    std::size_t link = 0;
    bool is_from_a = true;
    int sender = 0, receiver = 0;  ///< members
    core::Port *from = nullptr, *to = nullptr;
    core::SpatialInterface *space_from = nullptr, *space_to = nullptr;
    const core::Relation* relation = nullptr;
    std::size_t axes = 1, ports = 1;
    std::size_t cluster = 0;                                   ///< that its ends are in different units of
    bool is_late = false;                                      ///< the receiver goes first, or at the same time
    std::size_t first = 0;                                     ///< sample of the present control step
    std::vector<std::vector<wave::Sample>> found{}, before{};  ///< by port; `before`: in the last trial
    std::vector<std::vector<wave::TrackValue>> used{};         ///< by axis, beside `found`; NaN: not extrapolated
    std::vector<std::vector<wave::Knot>> kept{};               ///< by port, of the receiver at the control step's start
    std::vector<wave::Track> record{};                         ///< by axis: what was found, for meters
    std::vector<wave::Sample> last{};                          ///< by port: before `found`
    std::vector<Range> ranges{}, trial_ranges{};              ///< by axis: up to the control step; with the last trial
    std::vector<InputErrors> errors{};                         ///< by axis
    std::vector<double> guessed{}, remaining{};                ///< by axis: errors of the first and of the last trial
    std::vector<std::size_t> marks{};                          ///< by cluster: samples when its control step began
  };
  /// A port towards the outside.
  struct OuterPort {
    core::Port* port = nullptr;
    std::vector<wave::Sample> found{};
    std::vector<std::size_t> marks{};  ///< by cluster
  };
  struct Member {
    core::Component* component = nullptr;
    LayeredMember spec{};
    std::vector<std::size_t> sends{}, gets{};  ///< directions
    std::vector<OuterPort> outer{};
    std::vector<core::Port*> inner{};               ///< that send to partners
    std::vector<core::ArchiveWriter> snapshots{};   ///< by cluster
    std::vector<std::vector<std::size_t>> marks{};  ///< by cluster: of its sinks
  };
  struct Cluster {
    std::vector<std::size_t> directions{};  ///< between its units
    bool repeats = false;                   ///< may take a control step again
    bool can_halve = false;
    int halved = 0;                             ///< how often, at present
    int easy_steps = 0;                         ///< in a row
    int last_repeats = 0;                       ///< of the last control step
    double first_error = 0.0;                   ///< of its first trial
    double unit_seconds = 0.0;                  ///< about, for one unit
    std::vector<core::Result<void>> results{};  ///< of the units of a stage
    LayerFigures figures{};
  };
  enum class Verdict { settled, again, halve };

  void wire(std::span<GroupLink> links);
  void add_direction(const GroupLink& link, std::size_t index, bool is_from_a);
  void place_directions();
  void find_abilities();
  core::Result<void> run_cluster(std::size_t cluster, double begin, double end, const core::Window& window);
  core::Result<void> run_divided(std::size_t cluster, double begin, double end, const core::Window& window);
  core::Result<bool> run_control_step(std::size_t cluster, double begin, double end, const core::Window& window);
  core::Result<void> run_trial(std::size_t cluster, double begin, double end, bool is_first,
                               const core::Window& window);
  core::Result<void> run_unit(const coupling::LayerUnit& unit, double begin, double end, const core::Window& window);
  core::Result<void> run_stage(std::size_t cluster, std::size_t stage, double begin, double end,
                               const core::Window& window);
  core::Result<void> settle(std::size_t cluster);
  core::Result<void> save_members(std::size_t cluster);
  core::Result<void> restore_unit(std::size_t cluster, const coupling::LayerUnit& unit);
  void drop_trial(std::size_t cluster);
  /// Back to the start of a control step.
  core::Result<void> give_up(std::size_t cluster);
  void begin_control_step(std::size_t cluster, double begin);
  void start_directions();
  void collect(int member);
  static void give(Direction& direction, std::vector<std::vector<wave::Sample>>& samples, std::size_t from);
  void give_inputs(std::size_t cluster, const coupling::LayerUnit& unit, bool is_first);
  /// How far the inputs of a trial are from what was found, as a share of their ranges; at most.
  double compare(std::size_t cluster, bool is_first);
  [[nodiscard]] double compare(Direction& direction, bool is_first);
  [[nodiscard]] Verdict judge(const Cluster& cluster, double error, int repeats) const;
  void accept(std::size_t cluster, double length, int repeats);
  static void hand_over(Direction& direction, bool was_repeated);
  /// How often the next control step is halved.
  [[nodiscard]] int next_halving(Cluster& cluster, bool has_own_step) const;

  std::vector<Member> members_;
  std::vector<Direction> directions_;
  std::vector<std::array<std::size_t, 2>> direction_of_;  ///< by link: from a, from b
  coupling::LayerPlan plan_;
  std::vector<Cluster> clusters_;  ///< beside those of the plan
  core::LayerSettings settings_;
};

}  // namespace tieline::engine
