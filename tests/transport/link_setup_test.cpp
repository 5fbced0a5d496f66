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
  auto setup = LinkSetup::open(name);
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
  const Token token = *Token::random();
  auto ends = standard_factories().named("tcp")->offer({.addresses = setup.addresses(), .token = token});
  ASSERT_TRUE(ends);
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

}  // namespace link_setup_test
}  // namespace tieline::transport
