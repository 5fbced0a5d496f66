#include "lines/connection.hpp"

#include <gtest/gtest.h>

#include "lines/link.hpp"
#include "lines/running_pair.hpp"
#include "support/allocation_count.hpp"
#include "transport/messages.hpp"
#include "transport/socket_stream.hpp"

namespace tieline::lines {
namespace connection_test {

constexpr Tick kWindows = 40;

/// The same connections with each node in a process of its own: started in one place, and joined by a link.
class LinkedPair {
 public:
  explicit LinkedPair(const std::vector<Kind>& kinds) : sides_{RunningPair(kinds), RunningPair(kinds)} {
    RunningPair master(kinds);
    master.start();
    auto streams = transport::SocketStream::pair();
    EXPECT_TRUE(streams);
    std::array<std::unique_ptr<transport::Stream>, 2> ends{std::move(streams->first), std::move(streams->second)};
    for (const int node : {0, 1}) {
      const auto i = static_cast<std::size_t>(node);
      EXPECT_TRUE(sides_[i].set_ends_of(node, master.ends_of(node)));
      links_[i] = std::make_unique<Link>(sides_[i].rule(), LinkPartner{"partner", 1}, reached_[i], std::move(ends[i]));
      links_[i]->carry_between(node, 1 - node, sides_[i].connections());
    }
  }
  void run_window(bool is_to, Tick begin) {
    const std::size_t own = is_to ? 1 : 0;
    ASSERT_TRUE(sides_[own].run_window(is_to, begin));
    ASSERT_TRUE(links_[own]->send(begin + 1));
    const auto received = links_[1 - own]->receive();
    ASSERT_TRUE(received) << received.error().describe();
    ASSERT_TRUE(*received);
  }
  [[nodiscard]] RunningPair& side(bool is_to) { return sides_[is_to ? 1 : 0]; }

 private:
  std::array<RunningPair, 2> sides_;
  std::array<std::atomic<Tick>, 2> reached_{};  ///< by the partner of each
  std::array<std::unique_ptr<Link>, 2> links_{};
};

void expect_the_same_through_a_link(const std::vector<Kind>& kinds) {
  RunningPair direct(kinds);
  direct.start();
  LinkedPair linked(kinds);
  for (Tick k = 0; k < kWindows; ++k) {
    for (const bool is_to : {false, true}) {
      ASSERT_TRUE(direct.run_window(is_to, k));
      linked.run_window(is_to, k);
    }
  }
  for (const bool is_to : {false, true}) {
    direct.receive(is_to);
    linked.side(is_to).receive(is_to);
  }
  for (const bool is_to : {false, true}) {
    EXPECT_EQ(direct.ends_of(is_to ? 1 : 0), linked.side(is_to).ends_of(is_to ? 1 : 0));
  }
  const RunningPair& to = linked.side(true);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_EQ(direct.connections()[i]->values(), to.connections()[i]->values());
  }
}

TEST(Connection, IsTheSameDirectlyAndThroughALink) {
  for (const Kind kind : kKinds) {
    SCOPED_TRACE(name_of(kind));
    expect_the_same_through_a_link({kind});
  }
}

TEST(Connection, SharesALinkWithOtherKindsInAnyOrder) {
  expect_the_same_through_a_link({Kind::signal, Kind::space, Kind::line, Kind::signal, Kind::ball_joint, Kind::line});
}

TEST(Connection, ContinuesFromTheSavedStateOfBothEnds) {
  for (const Kind kind : kKinds) {
    SCOPED_TRACE(name_of(kind));
    RunningPair whole({kind}), second({kind});
    whole.start();
    const auto run = [](RunningPair& pair, Tick begin, Tick end) {
      for (Tick k = begin; k < end; ++k) {
        for (const bool is_to : {false, true}) ASSERT_TRUE(pair.run_window(is_to, k));
      }
      for (const bool is_to : {false, true}) pair.receive(is_to);
    };
    run(whole, 0, kWindows / 2);
    for (const int node : {0, 1}) ASSERT_TRUE(second.set_ends_of(node, whole.ends_of(node)));
    run(whole, kWindows / 2, kWindows);
    run(second, kWindows / 2, kWindows);
    for (const int node : {0, 1}) EXPECT_EQ(whole.ends_of(node), second.ends_of(node));
  }
}

TEST(Connection, RefusesAStateThatDoesNotFit) {
  for (const Kind kind : kKinds) {
    SCOPED_TRACE(name_of(kind));
    RunningPair pair({kind}), other({kind});
    pair.start();
    for (const int node : {0, 1}) {
      auto words = pair.ends_of(node);
      ASSERT_FALSE(words.empty());
      words.push_back(0);
      EXPECT_FALSE(other.set_ends_of(node, words));
      words.resize(words.size() - 2);
      EXPECT_FALSE(other.set_ends_of(node, words));
    }
  }
}

TEST(Connection, HasNothingInSectionsThatItDoesNotUse) {
  for (const Kind kind : kKinds) {
    RunningPair pair({kind});
    pair.start();
    ASSERT_TRUE(pair.run_window(false, 0));
    for (const Section section : kSections) {
      if (pair.front().uses(section)) continue;
      transport::ByteBuffer bytes;
      transport::Encoder encoder(bytes);
      StateWriter state;
      pair.front().put(section, false, encoder);
      pair.front().save_end({section, false, true}, state);
      EXPECT_TRUE(bytes.bytes().empty()) << name_of(kind);
      EXPECT_TRUE(state.words().empty()) << name_of(kind);
    }
  }
}

TEST(Connection, ReportsAFullQueue) {
  for (const Kind kind : kKinds) {
    RunningPair pair({kind}, 1);
    pair.start();
    EXPECT_TRUE(pair.run_window(false, 0));
    EXPECT_FALSE(pair.run_window(false, 1)) << name_of(kind);
    EXPECT_FALSE(pair.front().end_name(false).empty());
  }
}

TEST(Connection, CountsWhatItCarries) {
  const auto deliveries = [](Kind kind) {
    RunningPair pair({kind});
    pair.start();
    for (Tick k = 0; k < 10; ++k) {
      for (const bool is_to : {false, true}) EXPECT_TRUE(pair.run_window(is_to, k));
    }
    const ConnectionOutcome outcome = pair.front().outcome();
    EXPECT_GE(outcome.bytes, outcome.traffic.knots * sizeof(wave::Knot));
    EXPECT_EQ(outcome.balance.has_value(), !pair.front().is_one_way());
    EXPECT_EQ(outcome.figures.has_value(), outcome.balance.has_value());
    return outcome.traffic.deliveries;
  };
  EXPECT_EQ(deliveries(Kind::line), 20U);
  EXPECT_EQ(deliveries(Kind::space), 7U * 20U);
  EXPECT_EQ(deliveries(Kind::undamped_space), deliveries(Kind::space));
  EXPECT_EQ(deliveries(Kind::ball_joint), 3U * 20U);
  EXPECT_EQ(deliveries(Kind::signal), 2U * 10U);
}

TEST(Connection, HasAValueForEachColumn) {
  for (const Kind kind : kKinds) {
    RunningPair pair({kind});
    EXPECT_EQ(pair.front().columns().size(), pair.front().values().size()) << name_of(kind);
  }
}

TEST(Connection, DescribesItselfToATool) {
  using MessageKind = transport::ConnectionMessage::Kind;
  constexpr std::array kExpected{MessageKind::line, MessageKind::space, MessageKind::space, MessageKind::signal,
                                 MessageKind::space};
  static_assert(kExpected.size() == kKinds.size());
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    RunningPair pair({kKinds[i]});
    transport::ConnectionMessage message;
    pair.front().describe(message);
    EXPECT_EQ(message.kind, kExpected[i]);
    EXPECT_EQ(message.delay, kDelay * kTick);
    EXPECT_EQ(message.impedance, pair.front().is_one_way() ? 0.0 : 10.0);
    EXPECT_EQ(message.free[0], kKinds[i] == Kind::ball_joint);
  }
}

TEST(Connection, StartsWithTheLoadOfItsSpring) {
  RunningPair line({Kind::line}), space({Kind::space}), signal({Kind::signal});
  EXPECT_FALSE(signal.front().rest_spring());
  ASSERT_TRUE(line.front().rest_spring());
  EXPECT_EQ(line.front().rest_spring()->from.stiffness, 1e3);
  EXPECT_TRUE(line.front().rest_spring()->to.is_to);
  line.front().set_rest({.from = {.position = 0.25}, .to = {.position = 0.75}});
  EXPECT_EQ(dynamic_cast<const Line&>(line.front()).start_force(), -500.0);
  ASSERT_TRUE(space.front().rest_spring());
  EXPECT_NE(space.front().rest_spring()->from.interface, space.front().rest_spring()->to.interface);
}

TEST(Connection, AllocatesNothingOnceItsQueuesHaveGrown) {
  for (const Kind kind : kKinds) {
    RunningPair pair({kind});
    pair.start();
    std::size_t before = 0;
    for (Tick k = 0; k < 20 * kWindows; ++k) {
      if (k == 10 * kWindows) before = allocation_count;
      for (const bool is_to : {false, true}) ASSERT_TRUE(pair.run_window(is_to, k));
    }
    EXPECT_EQ(allocation_count, before) << name_of(kind);
  }
}

}  // namespace connection_test
}  // namespace tieline::lines
