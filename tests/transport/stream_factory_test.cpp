// Every transport of the table keeps the same promises.

#include "transport/stream_factory.hpp"

#include <gtest/gtest.h>
#include <set>
#include <thread>

#include "transport/link_setup.hpp"
#include "transport/stream_pairs.hpp"

namespace tieline::transport {
namespace stream_factory_test {

using namespace std::chrono_literals;

/// Long enough for any machine; no test waits for it to pass.
constexpr auto kLong = 100s;

Waiter::Outcome wait_for(Stream& stream, const Until& until, Interest interest = {}) {
  Waiter waiter;
  waiter.want(waiter.add(stream), interest);
  const auto outcome = waiter.wait(until);
  EXPECT_TRUE(outcome);
  return outcome ? *outcome : Waiter::Outcome::cancelled;
}

/// Waits for as many bytes as the text has.
void expect_text(Stream& stream, std::string_view text) {
  std::string received;
  while (received.size() < text.size()) {
    ASSERT_EQ(wait_for(stream, Until::in(kLong)), Waiter::Outcome::ready);
    std::array<std::byte, 1000> piece{};
    const auto count = stream.read_some(piece);
    ASSERT_TRUE(count) << count.error().message;
    received += text_of(std::span(piece).first(*count));
  }
  EXPECT_EQ(received, text);
}

/// Both ends of a control connection: who connected, who accepted.
StreamPair control_pair(const StreamFactory& factory, std::size_t most_attachments = 0) {
  auto door = factory.open_door();
  EXPECT_TRUE(door) << door.error().message;
  auto connected = factory.connect((*door)->address(), {.most_attachments = most_attachments}, Until::in(kLong));
  EXPECT_TRUE(connected) << connected.error().message;
  Waiter waiter;
  (void)waiter.add((*door)->waitable());
  EXPECT_EQ(*waiter.wait(Until::in(kLong)), Waiter::Outcome::ready);
  auto accepted = (*door)->accept();
  EXPECT_TRUE(accepted && *accepted != nullptr);
  const auto nobody = (*door)->accept();
  EXPECT_TRUE(nobody && *nobody == nullptr) << "one connection is accepted once";
  return {std::move(*connected), std::move(*accepted)};
}

/// Offers that have come to their process, with what came beside the message.
struct Arrived {
  std::vector<LinkOffer> links{};
  std::vector<Attachment> attachments{};
};

/// Sends offers as the master does: in the bytes of a message, with their attachments beside them.
Arrived sent(std::vector<LinkOffer> links, const StreamFactory& factory) {
  StreamPair control = control_pair(factory, 64);
  FrameWriter writer;
  std::vector<Attachment> beside = take_attachments(links);
  Begin begin{.start = 1.5};
  begin.links = std::move(links);
  encode(writer.begin(static_cast<std::uint16_t>(Message::begin)), begin);
  for (Attachment& attachment : beside) EXPECT_TRUE(writer.attach(std::move(attachment)));
  EXPECT_TRUE(writer.end());
  EXPECT_TRUE(*writer.flush(*control[1]));
  FrameReader reader;
  while (true) {
    EXPECT_EQ(wait_for(*control[0], Until::in(kLong)), Waiter::Outcome::ready);
    const auto frame = reader.next(*control[0]);
    EXPECT_TRUE(frame) << frame.error().message;
    if (!frame) return {};
    if (!*frame) continue;
    auto received = decode<Begin>((*frame)->payload);
    EXPECT_TRUE(received && received->start == 1.5);
    Arrived arrived{std::move(received->links)};
    while (Attachment attachment = control[0]->take_attachment()) arrived.attachments.push_back(std::move(attachment));
    return arrived;
  }
}

/// So many links between two processes, as both have them after the offers were sent.
std::array<std::vector<std::unique_ptr<Stream>>, 2> linked(const StreamFactory& factory, std::uint32_t count) {
  std::array<LinkSetup, 2> setups{LinkSetup::open("a", factory.name()).value(),
                                  LinkSetup::open("b", factory.name()).value()};
  std::array<std::vector<LinkOffer>, 2> offers;
  for (std::uint32_t number = 1; number <= count; ++number) {
    auto ends = factory.offer(setups[0].addresses());
    EXPECT_TRUE(ends) << ends.error().message;
    offers[0].push_back({.number = number, .partner = "b", .stream = std::move((*ends)[0])});
    offers[1].push_back({.number = number, .partner = "a", .stream = std::move((*ends)[1])});
  }
  std::array<std::vector<std::unique_ptr<Stream>>, 2> streams;
  const auto make = [&](std::size_t end) {
    Arrived arrived = sent(std::move(offers[end]), factory);
    auto made = setups[end].make(arrived.links, std::move(arrived.attachments), Until::in(kLong));
    ASSERT_TRUE(made) << made.error().describe();
    streams[end] = std::move(*made);
  };
  std::thread second([&] { make(1); });
  make(0);
  second.join();
  return streams;
}

class EveryFactory : public testing::TestWithParam<const StreamFactory*> {
 protected:
  const StreamFactory& factory = *GetParam();
};

INSTANTIATE_TEST_SUITE_P(Transport, EveryFactory, testing::ValuesIn(standard_factories().rows()),
                         [](const auto& each) { return std::string(each.param->name()); });

TEST_P(EveryFactory, IsFoundByItsNameAndItsAddresses) {
  EXPECT_EQ(standard_factories().named(factory.name()), &factory);
  const auto first = factory.open_door(), second = factory.open_door();
  ASSERT_TRUE(first && second);
  const std::string& address = (*first)->address();
  EXPECT_NE(address, (*second)->address());
  EXPECT_EQ(address.find(' '), std::string::npos) << "addresses are put into lists";
  const auto scheme = factory.address_form().substr(0, factory.address_form().find(':') + 1);
  EXPECT_TRUE(address.starts_with(scheme));
  for (const StreamFactory* other : standard_factories().rows()) EXPECT_EQ(other->reads(address), other == &factory);
  EXPECT_EQ(standard_factories().at(address), &factory);
  EXPECT_FALSE(factory.reads(std::string(scheme)));
  EXPECT_FALSE(factory.reads(address + " " + address));
}

TEST_P(EveryFactory, ConnectsAndCarriesBytesBothWays) {
  const StreamPair ends = control_pair(factory);
  write_text(*ends[0], "there");
  write_text(*ends[1], "and back");
  expect_text(*ends[1], "there");
  expect_text(*ends[0], "and back");
}

TEST_P(EveryFactory, NobodyThereIsADeadline) {
  std::string address;
  {
    const auto door = factory.open_door();
    ASSERT_TRUE(door);
    address = (*door)->address();
  }
  const auto late = factory.connect(address, {}, {Clock::now()});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, core::ErrorCode::deadline) << late.error().message;
  EXPECT_NE(late.error().message.find(address), std::string::npos) << late.error().message;
  const std::atomic<bool> cancel = true;
  const auto cancelled = factory.connect(address, {}, Until::in(kLong, &cancel));
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, core::ErrorCode::cancelled);
}

TEST_P(EveryFactory, ReadsNoForeignAddress) {
  const auto stream = factory.connect("nothing:at:all", {}, {Clock::now()});
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().message, "cannot read the endpoint 'nothing:at:all'");
}

TEST_P(EveryFactory, OffersSurviveBeingSent) {
  const auto streams = linked(factory, 3);
  ASSERT_EQ(streams[0].size(), 3U);
  ASSERT_EQ(streams[1].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) write_text(*streams[0][i], "link " + std::to_string(i));
  for (std::size_t i = 0; i < 3; ++i) {
    expect_text(*streams[1][i], "link " + std::to_string(i));
    write_text(*streams[1][i], "answer " + std::to_string(i));
    expect_text(*streams[0][i], "answer " + std::to_string(i));
  }
}

TEST_P(EveryFactory, LinksCarryMoreThanTheyHold) {
  const auto streams = linked(factory, 1);
  const std::string text(3'000'000, 'x');
  std::thread sender([&] {
    for (std::size_t at = 0; at < text.size();) {
      const auto count = streams[0][0]->write_some(bytes_of(text).subspan(at));
      ASSERT_TRUE(count);
      at += *count;
      if (*count == 0) {
        ASSERT_EQ(wait_for(*streams[0][0], Until::in(kLong), {.input = false, .room = true}), Waiter::Outcome::ready);
      }
    }
  });
  expect_text(*streams[1][0], text);
  sender.join();
}

TEST_P(EveryFactory, WaitsEndAtTheirDeadlines) {
  const auto streams = linked(factory, 1);
  for (const auto& end : streams) {
    EXPECT_EQ(wait_for(*end[0], {Clock::now()}), Waiter::Outcome::deadline);
    EXPECT_EQ(wait_for(*end[0], Until::in(1ms)), Waiter::Outcome::deadline);
    const std::atomic<bool> cancel = true;
    EXPECT_EQ(wait_for(*end[0], Until::in(kLong, &cancel)), Waiter::Outcome::cancelled);
  }
}

TEST_P(EveryFactory, AClosedEndIsNoticedBehindWhatItWrote) {
  for (const bool is_second : {false, true}) {
    const auto streams = linked(factory, 1);
    Stream& leaving = *streams[is_second ? 1 : 0][0];
    Stream& staying = *streams[is_second ? 0 : 1][0];
    write_text(leaving, "last words");
    leaving.close();
    expect_text(staying, "last words");
    EXPECT_EQ(wait_for(staying, Until::in(kLong)), Waiter::Outcome::ready);
    EXPECT_EQ(read_error(staying), core::ErrorCode::peer_lost);
  }
}

TEST(FactoryTable, HasEveryNameOnce) {
  std::set<std::string_view> names;
  for (const StreamFactory* factory : standard_factories().rows()) EXPECT_TRUE(names.insert(factory->name()).second);
  EXPECT_EQ(standard_factories().named("smoke_signals"), nullptr);
  for (const char* address : {"", ":", "smoke:here", "tcp", "local:", "tcp:host:99999"}) {
    EXPECT_EQ(standard_factories().at(address), nullptr) << address;
  }
  EXPECT_EQ(standard_factories().address_forms(), "local:NAME or tcp:HOST:PORT");
}

TEST(FactoryTable, EndsThatAreAttachmentsComeFirstAndAlone) {
  const auto rows = standard_factories().rows();
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i]->attachments_each() > 0, i == 0) << rows[i]->name();
}

TEST(FactoryTable, TwoProcessesMeetFurtherDown) {
  const FactoryTable& table = standard_factories();
  for (std::size_t i = 0; i < table.rows().size(); ++i) {
    for (std::size_t k = 0; k < table.rows().size(); ++k) {
      EXPECT_EQ(&table.common(*table.rows()[i], *table.rows()[k]), table.rows()[std::max(i, k)]);
    }
  }
}

TEST(FactoryTable, AnAcceptorWithoutAnAddressIsNamed) {
  const auto ends = standard_factories().named("tcp")->offer("local:here nothing");
  ASSERT_FALSE(ends);
  EXPECT_EQ(ends.error().message,
            "it has no address tcp:HOST:PORT at which it accepts links: it registered 'local:here nothing'");
  auto chosen = standard_factories().named("tcp")->offer("tls:x:1 tcp:127.0.0.1:7 tcp:127.0.0.1:8");
  ASSERT_TRUE(chosen);
  EXPECT_EQ((*chosen)[1].address, "tcp:127.0.0.1:7");
  const auto adopted = standard_factories().named("tcp")->adopt({}, false);
  ASSERT_FALSE(adopted);
  EXPECT_EQ(adopted.error().code, core::ErrorCode::unsupported);
}

}  // namespace stream_factory_test
}  // namespace tieline::transport
