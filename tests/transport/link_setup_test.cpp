#include "transport/link_setup.hpp"

#include <gtest/gtest.h>
#include <thread>

#include "transport/hello.hpp"
#include "transport/stream_pairs.hpp"

namespace tieline::transport {
namespace link_setup_test {

using namespace std::chrono_literals;

constexpr auto kLong = 100s;

LinkSetup setup_of(const std::string& name) {
  auto setup = LinkSetup::open(name, "shared_memory tcp");
  EXPECT_TRUE(setup) << setup.error().message;
  return std::move(*setup);
}

core::Error failure_of(LinkSetup& setup, LinkOffer offer, const Until& until) {
  std::array<LinkOffer, 1> offers{std::move(offer)};
  auto made = setup.make(offers, {}, until);
  EXPECT_FALSE(made);
  return made ? core::Error{} : made.error();
}

TEST(LinkSetup, HasADoorForEveryTransportThatNeedsOne) {
  const LinkSetup setup = setup_of("a");
  const std::string addresses = setup.addresses();
  for (const StreamFactory* factory : standard_factories().rows()) {
    const auto scheme = factory->address_form().substr(0, factory->address_form().find(':') + 1);
    EXPECT_EQ(addresses.find(scheme) != std::string::npos, factory->attachments_each() == 0) << factory->name();
  }
}

TEST(LinkSetup, HasNoDoorWhereEverybodyUsesSharedMemory) {
  const auto setup = LinkSetup::open("a", "shared_memory");
  ASSERT_TRUE(setup);
  EXPECT_EQ(setup->addresses(), "");
}

TEST(LinkSetup, MissingPiecesAreAnError) {
  LinkSetup setup = setup_of("a");
  EXPECT_EQ(failure_of(setup, {.number = 1, .partner = "b"}, Until::in(kLong)).message,
            "the memory of a link was not passed on");
}

TEST(LinkSetup, AnAddressThatNobodyReadsIsNamedWithItsPartner) {
  LinkSetup setup = setup_of("a");
  LinkOffer offer{.number = 1, .partner = "b"};
  offer.stream.kind = OfferKind::connect;
  offer.stream.address = "pigeon:roof";
  const core::Error error = failure_of(setup, std::move(offer), Until::in(kLong));
  EXPECT_EQ(error.code, core::ErrorCode::protocol);
  EXPECT_EQ(error.describe(), "component 'b': cannot read the endpoint 'pigeon:roof'");
}

TEST(LinkSetup, WhoDoesNotComeIsNamedAtTheDeadline) {
  LinkSetup setup = setup_of("a");
  LinkOffer offer{.number = 1, .partner = "b"};
  offer.stream.kind = OfferKind::accept;
  const core::Error late = failure_of(setup, std::move(offer), Until::in(1ms));
  EXPECT_EQ(late.code, core::ErrorCode::deadline);
  EXPECT_EQ(late.message, "'b' did not answer in time");
  LinkOffer again{.number = 1, .partner = "b"};
  again.stream.kind = OfferKind::accept;
  const std::atomic<bool> cancel = true;
  EXPECT_EQ(failure_of(setup, std::move(again), Until::in(kLong, &cancel)).code, core::ErrorCode::cancelled);
}

TEST(LinkSetup, StrangersAreRefusedAndThePartnerIsAccepted) {
  LinkSetup setup = setup_of("a");
  auto ends = standard_factories().named("tcp")->offer(setup.addresses());
  ASSERT_TRUE(ends);
  const Token token = (*ends)[1].token;
  const std::string address = (*ends)[1].address;
  std::atomic<bool> has_failed = false;
  std::thread partners([&] {
    const auto introduced = [&](const Token& said, const std::string& name, std::uint32_t link) {
      auto stream = standard_factories().at(address)->connect(address, {}, Until::in(kLong));
      Connection connection(std::move(*stream), "a");
      return introduce(connection, {.role = Role::peer, .token = said, .name = name, .link = link}, Until::in(kLong));
    };
    const auto wrong_token = introduced(*Token::random(), "b", 1);
    const auto wrong_name = introduced(token, "c", 1), wrong_link = introduced(token, "b", 2);
    has_failed = wrong_token || wrong_name || wrong_link ||
                 wrong_name.error().message != "a refused the connection: no such link is expected";
    const auto right = introduced(token, "b", 1);
    if (!right) has_failed = true;
  });
  std::array<LinkOffer, 1> offers{};
  offers[0] = {.number = 1, .partner = "b", .stream = std::move((*ends)[0])};
  const auto made = setup.make(offers, {}, Until::in(kLong));
  partners.join();
  EXPECT_TRUE(made) << made.error().message;
  EXPECT_FALSE(has_failed);
}

// A partner that has its own token cannot take the link of another.
TEST(LinkSetup, EveryLinkHasATokenOfItsOwn) {
  LinkSetup setup = setup_of("a");
  const StreamFactory& tcp = *standard_factories().named("tcp");
  auto of_b = tcp.offer(setup.addresses()), of_c = tcp.offer(setup.addresses());
  ASSERT_TRUE(of_b && of_c);
  const Token token_b = (*of_b)[1].token, token_c = (*of_c)[1].token;
  EXPECT_FALSE(token_b.equals(token_c));
  EXPECT_FALSE(token_b.equals(Token()));
  const std::string address = (*of_b)[1].address;
  std::vector<std::string> refusals;
  std::thread partners([&] {
    const auto introduced = [&](const Token& token, const std::string& name, std::uint32_t link) {
      auto stream = tcp.connect(address, {}, Until::in(kLong));
      Connection connection(std::move(*stream), "a");
      const auto done =
          introduce(connection, {.role = Role::peer, .token = token, .name = name, .link = link}, Until::in(kLong));
      refusals.push_back(done ? "" : done.error().message);
    };
    introduced(token_c, "b", 1);
    introduced(token_b, "b", 1);
    introduced(token_b, "c", 2);
    introduced(token_c, "c", 2);
  });
  std::array<LinkOffer, 2> offers{};
  offers[0] = {.number = 1, .partner = "b", .stream = std::move((*of_b)[0])};
  offers[1] = {.number = 2, .partner = "c", .stream = std::move((*of_c)[0])};
  const auto made = setup.make(offers, {}, Until::in(kLong));
  partners.join();
  EXPECT_TRUE(made) << made.error().message;
  const std::string refusal = "a refused the connection: no such link is expected";
  EXPECT_EQ(refusals, (std::vector<std::string>{refusal, "", refusal, ""}));
}

}  // namespace link_setup_test
}  // namespace tieline::transport
