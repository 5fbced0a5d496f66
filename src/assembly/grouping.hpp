#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/gluing.hpp"
#include "model/composite_model.hpp"

namespace tieline::assembly {

/// Components that are joined without delay, as a tree: what is glued in a nested model is one member of what is glued
/// around it. Each tree is one node of the engine's graph.
struct GroupTree {
  enum class Kind {
    single,
    sampled,
    glued,
    joined,  ///< their equations are one system, since signals between them form loops without delay
  };
  Kind kind = Kind::single;
  int component = -1;                ///< of a single one
  std::string level{};               ///< of a glued one: where its connections stand
  std::vector<GroupTree> members{};  ///< in an order that does not depend on the file's
  std::vector<int> links{};          ///< connections inside, by name

  /// All components, in the order of members.
  [[nodiscard]] std::vector<int> components() const;
  [[nodiscard]] bool has_glue() const;
  /// Whether rows must be held back until steps are accepted.
  [[nodiscard]] bool repeats_steps(const model::CompositeModel& model) const;
};

/// What a tree is called: its component, its level, or the members of the group, some of them where they are many.
[[nodiscard]] std::string name_of(const model::CompositeModel& model, const GroupTree& tree);

/// Whether a connection has no delay, so that its two ends cannot be computed apart.
[[nodiscard]] bool is_undelayed(const model::Connection& connection);

/// Components that a sampled connection states an order for: who steps first, and who second.
[[nodiscard]] std::optional<std::pair<int, int>> stated_order(const model::Connection& connection);

/// How the members of a sampled tree keep steps of their own; nothing where they do not.
[[nodiscard]] std::optional<core::LayerSettings> layers_of(const model::CompositeModel& model, const GroupTree& tree);

/// Sampled couplings and undelayed signals first, across all levels; then glued connections, from the innermost level
/// outwards.
[[nodiscard]] std::vector<GroupTree> form_groups(const model::CompositeModel& model);

/// What the level of a glued tree states, or the defaults.
[[nodiscard]] core::GluingSettings gluing_of(const model::CompositeModel& model, const GroupTree& tree);
/// Step of a gluing: as stated, or that which all its components state [s]; none if the step is controlled.
[[nodiscard]] std::optional<double> glue_step(const model::CompositeModel& model, const GroupTree& tree);

}  // namespace tieline::assembly
