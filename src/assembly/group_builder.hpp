#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/grouping.hpp"
#include "components/joined_model.hpp"
#include "fmi/fmu_system.hpp"

namespace tieline::assembly {

/// What groups are made of, by the model's components and connections.
struct GroupParts {
  std::vector<std::unique_ptr<core::Component>> built{};
  const std::vector<core::RecordPlan>& component_plans;
  const std::vector<core::RecordPlan>& connection_plans;
  const std::vector<bool>& has_signals_only;  ///< by component: nothing else is joined to it, or prescribed
};

/// Makes components of trees of components: one for each node of the engine's graph. Notes in the assembly where
/// connections inside groups are to be found. Problems go to the diagnostics.
class GroupBuilder {
 public:
  GroupBuilder(const CheckedModel& checked, Assembly& assembly, document::Diagnostics& diagnostics, GroupParts parts)
      : checked_(checked),
        model_(checked.model),
        assembly_(assembly),
        diagnostics_(diagnostics),
        parts_(std::move(parts)) {}

  [[nodiscard]] std::unique_ptr<core::Component> build(const GroupTree& tree) { return build(tree, true).component; }

 private:
  /// The component that a tree stands for, with the ports and held rows of all that it is made of.
  engine::GluedMember build(const GroupTree& tree, bool is_outermost);
  engine::GluedMember build_sampled(const GroupTree& tree, bool is_outermost);
  /// How all members can be computed as one system, if they can.
  [[nodiscard]] kinds::Joining joining_of(const GroupTree& tree) const;
  engine::GluedMember build_joint(const GroupTree& tree);
  /// Components whose signals form loops without delay, as one system.
  engine::GluedMember build_joined(const GroupTree& tree);
  [[nodiscard]] std::vector<components::JoinedSignal> joined_signals(const GroupTree& tree,
                                                                     const std::vector<int>& members) const;
  /// The system that the parts make up; null if another process has it.
  struct JointSystem {
    std::unique_ptr<core::Component> whole{};
    fmi::FmuSystem* system = nullptr;
  };
  [[nodiscard]] JointSystem join_equations(const GroupTree& tree,
                                           std::span<const std::unique_ptr<core::Component>> parts,
                                           std::vector<fmi::SignalLink> links) const;
  [[nodiscard]] JointSystem join_steps(const GroupTree& tree, std::span<const std::unique_ptr<core::Component>> parts,
                                       std::vector<fmi::SignalLink> links) const;
  void check_schedules(const GroupTree& tree);
  [[nodiscard]] std::vector<fmi::SignalLink> joint_links(const GroupTree& tree, const std::vector<int>& members) const;
  [[nodiscard]] std::vector<std::unique_ptr<core::Component>> joint_members(fmi::FmuSystem& system,
                                                                            const std::vector<int>& members) const;
  engine::GluedMember build_glued(const GroupTree& tree, bool is_outermost);
  /// The schedule that the group's sampled connections state; they must agree.
  engine::GroupOptions group_options(const GroupTree& tree);
  /// The step that a member always takes [s]; 0: it chooses.
  [[nodiscard]] double own_step(const GroupTree& member, const core::Component& made) const;
  /// Members that cannot cut their steps must come to the ends of control steps with whole ones.
  /// Whether an FMU of a group is to know its inputs over whole steps.
  [[nodiscard]] bool follows_inputs(const GroupTree& tree, const GroupTree& member) const;
  void check_landing(const GroupTree& tree, const std::vector<engine::LayeredMember>& members,
                     const std::vector<engine::GroupLink>& links);
  /// The sockets at an end of a glued connection: one, or those of a set. Several connections may share them.
  std::vector<int> sockets_at(const model::Endpoint& end, const std::map<int, int>& member_of,
                              std::vector<engine::GlueSocket>& sockets) const;
  /// A force is iterated on at one level only: what is glued inside cannot be glued again outside.
  void relate_sockets(const GroupTree& tree, const std::vector<engine::GlueSpec>& links,
                      std::vector<engine::GlueSocket>& sockets) const;
  void refuse_glued_twice(const GroupTree& tree, const std::vector<engine::GlueSocket>& sockets,
                          const std::vector<engine::GlueSpec>& links);
  [[nodiscard]] const model::Component& component(int index) const {
    return model_.components[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::span<core::Port> ports(const model::Endpoint& end) const;
  [[nodiscard]] core::SpatialInterface* spatial_at(const model::Endpoint& end) const;

  const CheckedModel& checked_;
  const model::CompositeModel& model_;
  Assembly& assembly_;
  document::Diagnostics& diagnostics_;
  GroupParts parts_;
  std::map<const void*, std::string> glued_by_{};  ///< ports and interfaces of levels inside, and their connections
};

}  // namespace tieline::assembly
