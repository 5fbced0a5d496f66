#include "assembly/joint_group.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tieline::assembly {

using core::Error;
using core::ErrorCode;
using core::Result;

JointMember::JointMember(std::string name, std::span<core::Port> ports, std::vector<core::SpatialInterface*> interfaces,
                         std::vector<core::Column> columns, std::vector<std::size_t> places,
                         const fmi::FmuSystem* system, std::size_t part)
    : Component(std::move(name)),
      ports_(ports),
      interfaces_(std::move(interfaces)),
      columns_(std::move(columns)),
      places_(std::move(places)),
      system_(system),
      part_(part) {}

Error JointMember::together() const {
  return {.code = ErrorCode::unsupported, .message = "it is computed together with others", .component = name()};
}

core::Capabilities JointMember::capabilities() const { return whole_->capabilities(); }

std::vector<core::Column> JointMember::columns() const {
  std::vector<core::Column> own;
  for (const std::size_t place : places_) own.push_back(columns_[place]);
  return own;
}

void JointMember::current_values(std::span<double> values) {
  all_.resize(columns_.size());
  whole_->current_values(all_);
  for (std::size_t k = 0; k < places_.size(); ++k) values[k] = all_[places_[k]];
}

core::Statistics JointMember::statistics() const {
  if (part_ > 0) return system_ != nullptr ? system_->own_statistics(part_) : core::Statistics{};
  core::Statistics rest = whole_->statistics();
  for (std::size_t part = 1; system_ != nullptr && part < system_->part_count(); ++part) {
    const core::Statistics own = system_->own_statistics(part);
    rest.steps -= own.steps, rest.events -= own.events;
  }
  return rest;
}

void JointMember::pass_on(double t, std::span<const double> row) {
  if (plan_.sink == nullptr) return;
  chosen_.clear();
  for (const int column : plan_.selected) chosen_.push_back(row[places_[static_cast<std::size_t>(column)]]);
  plan_.sink->row(t, chosen_);
}

/// Rows of the whole, to the members' own tables.
class JointGroup::RowSplitter final : public core::RowSink {
 public:
  explicit RowSplitter(std::vector<JointMember*> members) : members_(std::move(members)) {}
  void row(double t, std::span<const double> values) override {
    for (JointMember* member : members_) member->pass_on(t, values);
  }

 private:
  std::vector<JointMember*> members_;
};

JointGroup::JointGroup(std::string name, std::unique_ptr<core::Component> whole,
                       std::vector<std::unique_ptr<core::Component>> members)
    : Component(std::move(name)), whole_(std::move(whole)), members_(std::move(members)) {
  if (!whole_) return;
  for (const auto& member : members_) dynamic_cast<JointMember&>(*member).join(*whole_);
}

JointGroup::~JointGroup() = default;

core::Capabilities JointGroup::capabilities() const {
  if (whole_) return whole_->capabilities();
  core::Capabilities result = members_.front()->capabilities();
  for (const auto& member : members_) {
    const core::Capabilities own = member->capabilities();
    if (!own.can_snapshot) result = own;
  }
  return result;
}

Result<void> JointGroup::start(double t0) {
  std::vector<JointMember*> recorded;
  std::optional<double> interval;  // the densest that one of them wants
  for (auto& member : members_) {
    auto* const own = dynamic_cast<JointMember*>(member.get());
    if (own->plan().sink == nullptr) continue;
    recorded.push_back(own);
    interval = std::min(interval.value_or(own->plan().interval), own->plan().interval);
  }
  if (interval) {
    splitter_ = std::make_unique<RowSplitter>(std::move(recorded));
    core::RecordPlan plan{.sink = splitter_.get(), .interval = *interval};
    plan.selected.resize(whole_->columns().size());
    std::iota(plan.selected.begin(), plan.selected.end(), 0);
    whole_->plan_recording(std::move(plan));
  }
  return whole_->start(t0);
}

std::vector<core::Component*> JointGroup::parts() {
  std::vector<core::Component*> all;
  for (const auto& member : members_) all.push_back(member.get());
  return all;
}

}  // namespace tieline::assembly
