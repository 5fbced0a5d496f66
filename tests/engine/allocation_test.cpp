// Once its buffers have their sizes, a group steps without allocating. Layers, which save and restore, are not looked
// at.

#include <cmath>
#include <gtest/gtest.h>

#include "engine/group.hpp"
#include "support/allocation_count.hpp"

namespace tieline::engine {
namespace allocation_test {

/// x'' = u - x in steps of one length, by an average of what comes in; it sends x.
class Oscillator final : public core::Component {
 public:
  Oscillator(std::string name, double step) : Component(std::move(name)), step_(step) {
    for (const auto& [port_name, causality] :
         {std::pair{"in", core::Causality::input}, std::pair{"out", core::Causality::output}}) {
      core::Port port;
      port.name = port_name;
      port.domain = core::Domain::signal;
      port.causality = causality;
      ports_.push_back(std::move(port));
    }
  }

  [[nodiscard]] std::span<core::Port> ports() override { return ports_; }
  [[nodiscard]] core::Capabilities capabilities() const override { return {.can_snapshot = true}; }
  [[nodiscard]] std::vector<core::Column> columns() const override { return {}; }
  void plan_recording(core::RecordPlan) override {}
  void current_values(std::span<double>) override {}
  core::Result<void> start(double t0) override {
    time_ = t0, x_ = 1.0, v_ = 0.0;
    publish();
    return {};
  }
  core::Result<void> advance(const core::Window& window) override {
    while (time_ < window.end) (void)step(window.end);
    return {};
  }
  core::Result<double> step(double limit) override {
    const double end = limit - time_ < 1.000001 * step_ ? limit : time_ + step_, h = end - time_;
    const double u = 0.5 * (ports_[0].w(time_, wave::Side::right).value + ports_[0].w(end, wave::Side::left).value);
    const double a = 0.5 * u - x_;
    x_ += h * (v_ + 0.5 * h * a), v_ += h * a;
    time_ = end;
    publish();
    return time_;
  }
  [[nodiscard]] double time() const override { return time_; }
  core::Result<void> save(core::ArchiveWriter& archive) const override {
    archive.put(time_), archive.put(x_), archive.put(v_);
    for (const core::Port& port : ports_) core::save_track(archive, port.incoming);
    return {};
  }
  core::Result<void> restore(core::ArchiveReader& archive) override {
    archive.get(time_), archive.get(x_), archive.get(v_);
    for (core::Port& port : ports_) core::restore_track(archive, port.incoming);
    return {};
  }
  [[nodiscard]] core::Statistics statistics() const override { return {}; }

 private:
  void publish() { ports_[1].outbox.push_back({.t = time_, .flow = x_, .flow_rate = v_}); }

  double step_;
  double time_ = 0.0, x_ = 1.0, v_ = 0.0;
  std::vector<core::Port> ports_;
};

class StepsOfGroups : public testing::TestWithParam<core::Schedule> {};

TEST_P(StepsOfGroups, AllocateNothing) {
  std::vector<std::unique_ptr<core::Component>> members;
  constexpr double kSteps[] = {0.02, 0.05};
  for (const double step : kSteps) members.push_back(std::make_unique<Oscillator>(std::to_string(step), step));
  std::vector<GroupLink> links;
  GroupOptions options{.schedule = GetParam(), .macro_step = 0.05};
  for (int m = 0; m < 2; ++m) {
    links.push_back({.name = std::to_string(m),
                     .member_a = m,
                     .member_b = 1 - m,
                     .port_a = &members[static_cast<std::size_t>(m)]->ports()[1],
                     .port_b = &members[static_cast<std::size_t>(1 - m)]->ports()[0],
                     .extrapolation = core::Extrapolation::hermite});
    options.members.push_back({.step = kSteps[m]});
    for (core::Port& port : members[static_cast<std::size_t>(m)]->ports())
      options.members.back().ports.push_back(&port);
  }
  Group group("pair", std::move(members), std::move(links), std::move(options));
  ASSERT_TRUE(group.start(0.0));
  std::size_t before = 0;
  for (int k = 0; k < 40; ++k) {
    if (k == 20) before = allocation_count;
    ASSERT_TRUE(group.advance({.begin = 0.5 * k, .end = 0.5 * (k + 1), .horizon = 0.5 * (k + 1)}));
  }
  EXPECT_EQ(allocation_count, before);
}

INSTANTIATE_TEST_SUITE_P(Schedules, StepsOfGroups,
                         testing::Values(core::Schedule::furthest_behind, core::Schedule::jacobi,
                                         core::Schedule::gauss_seidel, core::Schedule::spatiotemporal),
                         [](const auto& each) { return std::string(core::name_of(each.param)); });

}  // namespace allocation_test
}  // namespace tieline::engine
