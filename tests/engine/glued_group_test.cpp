// The coordinator on members of a few lines each: masses whose motion under a given force is exact.

#include "engine/glued_group.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "engine/fork_pool.hpp"

namespace tieline::engine {
namespace glued_group_test {

using core::Error;
using core::ErrorCode;
using core::Result;

/// A mass on an axis, pushed by its port and by a push of its own.
class Mass final : public core::Component {
 public:
  enum class Fault { none, in_trial, not_a_number, in_restore, endless };

  Mass(std::string name, double mass, double push) : Component(std::move(name)), mass_(mass), push_(push), ports_(1) {
    ports_[0].name = "end";
  }
  Fault fault = Fault::none;
  double fault_time = 0.0;
  int restores = 0;
  double ramp = 0.0;        ///< of its own push [N/s]
  int busy = 0;             ///< computes for nothing, so that helping pays
  bool is_held = false;     ///< no force moves it
  double speed = 0.0;       ///< at which it moves where it is held [m/s]
  double stiffening = 0.0;  ///< of what resists its port: it answers to forces as they are less this times their cube

  [[nodiscard]] std::span<core::Port> ports() override { return ports_; }
  [[nodiscard]] core::Capabilities capabilities() const override { return {.can_snapshot = true}; }
  [[nodiscard]] std::vector<core::Column> columns() const override { return {}; }
  void plan_recording(core::RecordPlan plan) override { plan_ = std::move(plan); }
  void current_values(std::span<double>) override {}
  Result<void> start(double t0) override {
    t_ = t0;
    x_ = 0.0;
    v_ = is_held ? speed : 0.0;
    publish();
    return {};
  }
  Result<void> advance(const core::Window& window) override {
    if (fault == Fault::in_trial && window.end > fault_time) {
      return Error{.message = "it would not", .component = name(), .time = t_};
    }
    while (fault == Fault::endless && window.end > fault_time) {
      if (core::is_cancelled(window)) return Error{.code = ErrorCode::cancelled, .component = name(), .time = t_};
    }
    for (int i = 0; i < busy; ++i) idle_ = std::sin(idle_);
    if (is_held) {
      v_ = speed;
      x_ += (window.end - t_) * speed;
      t_ = window.end;
      publish();
      return {};
    }
    // Simpson's rule is exact for forces up to cubic.
    const auto force = [&](double t) {
      const double f = ports_[0].w(t, t > t_ ? wave::Side::left : wave::Side::right).value;
      return f - stiffening * f * f * f + push_ + ramp * t;
    };
    const double h = window.end - t_;
    const double f0 = force(t_), f1 = force(t_ + 0.5 * h), f2 = force(window.end);
    x_ += h * v_ + h * h / 6.0 * (f0 + 2.0 * f1) / mass_;
    v_ += h / 6.0 * (f0 + 4.0 * f1 + f2) / mass_;
    t_ = window.end;
    publish();
    if (plan_.sink != nullptr) plan_.sink->row(t_, std::array{x_});
    return {};
  }
  Result<double> step(double limit) override {
    if (auto advanced = advance({.begin = t_, .end = limit, .horizon = limit}); !advanced) return advanced.error();
    return t_;
  }
  [[nodiscard]] double time() const override { return t_; }
  Result<void> save(core::ArchiveWriter& archive) const override {
    archive.put(t_), archive.put(x_), archive.put(v_);
    save_track(archive, ports_[0].incoming);
    return {};
  }
  Result<void> restore(core::ArchiveReader& archive) override {
    ++restores;
    if (fault == Fault::in_restore && restores > 2) return Error{.message = "the tape is torn", .component = name()};
    archive.get(t_), archive.get(x_), archive.get(v_);
    restore_track(archive, ports_[0].incoming);
    ports_[0].outbox.clear();
    return {};
  }
  [[nodiscard]] core::Statistics statistics() const override { return {}; }
  [[nodiscard]] double position() const { return x_; }

 private:
  void publish() {
    const double force = ports_[0].w(t_, wave::Side::left).value;
    const bool is_broken = fault == Fault::not_a_number && t_ > fault_time;
    const double v = is_broken ? std::nan("") : v_;
    const double acceleration = is_held ? 0.0 : (force - stiffening * force * force * force + push_) / mass_;
    ports_[0].outbox.push_back({t_, x_, v, acceleration, force, 0.0, 0.0, 0.0});
  }

  double mass_, push_;
  std::vector<core::Port> ports_;
  core::RecordPlan plan_{};
  double t_ = 0.0, x_ = 0.0, v_ = 0.0;
  double idle_ = 1.0;
};

class Rows final : public core::RowSink {
 public:
  void row(double t, std::span<const double>) override { times.push_back(t); }
  std::vector<double> times;
};

/// Two masses of 1 and 3 kg, pushed by 8 N: together they move as 1 t^2.
struct Pair {
  explicit Pair(core::GluingSettings settings = {.step = 0.1}, Mass::Fault fault = Mass::Fault::none) : sink(rows) {
    auto first = std::make_unique<Mass>("first", 1.0, 8.0);
    auto second = std::make_unique<Mass>("second", 3.0, 0.0);
    a = first.get(), b = second.get();
    b->fault = fault;
    b->fault_time = 0.5;
    b->plan_recording({.sink = &sink});
    std::vector<GluedMember> members(2);
    members[0] = {std::move(first), {&a->ports()[0]}, {}};
    members[1] = {std::move(second), {&b->ports()[0]}, {&sink}};
    std::vector<GlueSocket> sockets{{.member = 0, .port = &a->ports()[0]}, {.member = 1, .port = &b->ports()[0]}};
    std::vector<GlueSpec> links{{.name = "joint", .from = {0}, .to = {1}}};
    group = std::make_unique<GluedGroup>("pair", std::move(members), std::move(sockets), std::move(links), settings);
  }
  Result<void> run(double until, core::TaskPool* pool = nullptr) {
    if (auto started = group->start(0.0); !started) return started;
    return group->advance({.begin = 0.0, .end = until, .horizon = until, .pool = pool});
  }
  Rows rows;
  HeldSink sink;
  Mass *a = nullptr, *b = nullptr;
  std::unique_ptr<GluedGroup> group;
};

TEST(GluedGroup, MakesTwoMassesOne) {
  Pair pair;
  ASSERT_TRUE(pair.run(1.0));
  EXPECT_NEAR(pair.a->position(), 1.0, 1e-12);
  EXPECT_NEAR(pair.b->position(), 1.0, 1e-12);
  EXPECT_EQ(pair.group->figures().steps, 10U);
  EXPECT_LE(pair.group->figures().refreshes, 1U);
  EXPECT_EQ(pair.group->outcome(0).unknowns, 3U);
}

TEST(GluedGroup, TrialsLeaveNoRows) {
  Pair pair;
  ASSERT_TRUE(pair.run(1.0));
  // Three nodes in each of ten steps, each once and in order.
  ASSERT_EQ(pair.rows.times.size(), 30U);
  EXPECT_TRUE(std::is_sorted(pair.rows.times.begin(), pair.rows.times.end()));
  EXPECT_EQ(pair.rows.times.back(), 1.0);
  EXPECT_EQ(pair.sink.size(), 0U);
}

TEST(GluedGroup, KnowsTheForceAtTheStart) {
  Pair pair;
  ASSERT_TRUE(pair.group->start(0.0));
  // 6 of the 8 N pull the second mass along.
  EXPECT_NEAR(pair.b->ports()[0].w(0.0, wave::Side::right).value, 6.0, 1e-9);
  EXPECT_NEAR(pair.a->ports()[0].w(0.0, wave::Side::right).value, -6.0, 1e-9);
}

TEST(GluedGroup, NamesAMemberThatFailsInATrial) {
  Pair pair({.step = 0.1}, Mass::Fault::in_trial);
  const auto run = pair.run(1.0);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().component, "second");
  EXPECT_NE(run.error().message.find("in step 6 of gluing 'pair', trial 1: it would not"), std::string::npos)
      << run.error().message;
  // The last accepted state stands, and its rows are out.
  EXPECT_NEAR(pair.group->time(), 0.5, 1e-12);
  EXPECT_NEAR(pair.a->position(), 0.25, 1e-12);
  EXPECT_NEAR(pair.rows.times.back(), 0.5, 1e-12);
}

TEST(GluedGroup, NamesAMotionThatIsNotANumber) {
  Pair pair({.step = 0.1}, Mass::Fault::not_a_number);
  const auto run = pair.run(1.0);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::not_finite);
  EXPECT_EQ(run.error().component, "second");
  EXPECT_EQ(run.error().port, "end");
}

TEST(GluedGroup, NamesAMemberThatCannotGoBack) {
  Pair pair({.step = 0.1}, Mass::Fault::in_restore);
  pair.a->ramp = 5.0;
  const auto run = pair.run(1.0);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().component, "second");
  EXPECT_NE(run.error().message.find("the tape is torn"), std::string::npos) << run.error().message;
}

TEST(GluedGroup, OfTwoHeldSidesHasNoForceAndSaysSo) {
  Pair pair;
  pair.a->is_held = pair.b->is_held = true;
  ASSERT_TRUE(pair.run(1.0));
  EXPECT_EQ(pair.b->ports()[0].w(1.0, wave::Side::left).value, 0.0);
  ASSERT_EQ(pair.group->notes().size(), 1U);
  EXPECT_EQ(pair.group->notes()[0],
            "connection 'joint': neither side can move there; the force between them is taken as 0");
}

TEST(GluedGroup, OfTwoHeldSidesThatComeApartFails) {
  Pair pair;
  pair.a->is_held = pair.b->is_held = true;
  ASSERT_TRUE(pair.group->start(0.0));
  // Only after the start, which would not have it.
  pair.b->speed = 0.5;
  const auto run = pair.group->advance({.begin = 0.0, .end = 1.0, .horizon = 1.0});
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().message.find("contradict each other"), std::string::npos) << run.error().message;
  EXPECT_NE(run.error().message.find("'joint'"), std::string::npos) << run.error().message;
}

TEST(GluedGroup, GivesUpAStepAfterItsTrials) {
  // What resists grows faster than what pushes: no force makes the two agree.
  Pair pair({.step = 0.1, .most_trials = 7});
  pair.b->stiffening = 1.0;
  pair.a->ramp = 1e3;
  const auto run = pair.run(1.0);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::step_failed);
  for (const char* part : {"gluing step 1 (to 0.1 s)", "within 7 trials (most_trials", "at 'joint'",
                           "gaps of its trials in units of the tolerance", "a smaller step", "larger tolerance",
                           "absolute_tolerance", "components' solvers"}) {
    EXPECT_NE(run.error().message.find(part), std::string::npos) << part << " in: " << run.error().message;
  }
}

TEST(GluedGroup, InterruptsAMemberThatDoesNotComeToAnEnd) {
  Pair pair({.step = 0.1, .most_seconds = 0.05}, Mass::Fault::endless);
  const auto run = pair.run(1.0);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::step_failed);
  for (const char* part : {"gluing step 6", "within 0.05 s of wall time (most_seconds", "'second'", "a smaller step"}) {
    EXPECT_NE(run.error().message.find(part), std::string::npos) << part << " in: " << run.error().message;
  }
  EXPECT_NEAR(pair.group->time(), 0.5, 1e-12);
}

TEST(GluedGroup, HasTheSameBitsOnAPool) {
  Pair alone, helped;
  ForkPool pool(2);
  helped.a->busy = helped.b->busy = 5000;
  ASSERT_TRUE(alone.run(1.0));
  ASSERT_TRUE(helped.run(1.0, &pool));
  EXPECT_EQ(alone.a->position(), helped.a->position());
  EXPECT_EQ(alone.b->position(), helped.b->position());
}

}  // namespace glued_group_test
}  // namespace tieline::engine
