// Who is let in at a door between hosts, and who is not.

#include "secure/tls_factory.hpp"

#include "secure/network.hpp"
#include "secure/openssl.hpp"
#include "transport/hello.hpp"
#include "transport/stream_pairs.hpp"

namespace tieline::secure {
namespace tls_factory_test {

using namespace test;

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class TlsDoor : public testing::Test {
 protected:
  TlsDoor() : authority(Authority::make().value()), here(factory(authority)), door(here->open_door().value()) {}

  /// Connects without our protocol, says something, and returns all that the door answers until it closes.
  [[nodiscard]] std::string say(const std::string& text) const {
    auto stream = tcp().connect("tcp:" + door->address().substr(4), {}, transport::Until::in(kPatience));
    EXPECT_TRUE(stream);
    transport::write_text(**stream, text);
    std::string answer;
    for (;;) {
      std::vector<std::byte> piece(1000);
      const auto count = (*stream)->read_some(piece);
      if (!count) return answer;
      answer += transport::text_of(std::span(piece).first(*count));
      if (*count == 0) wait_for(**stream);
    }
  }
  /// What somebody with this identity is told, at once or by the first thing that it reads.
  [[nodiscard]] std::string told(const Identity& identity) const {
    auto other = TlsFactory::make(identity, loopback(), {.grace = 0ms});
    EXPECT_TRUE(other) << other.error().message;
    auto stream = (*other)->connect(door->address(), {}, transport::Until::in(kPatience));
    return stream ? end_of(**stream).message : stream.error().message;
  }
  /// Reasons that the door has noted; waits for the first.
  [[nodiscard]] std::string noted() const {
    transport::Waiter waiter;
    (void)waiter.add(door->waitable());
    std::string all;
    while (all.empty()) {
      for (const std::string& reason : door->take_refusals()) all += reason + "\n";
      if (all.empty()) {
        EXPECT_EQ(*waiter.wait(transport::Until::in(kPatience)), transport::Waiter::Outcome::ready);
      }
      const auto nobody = door->accept();
      EXPECT_TRUE(nobody && *nobody == nullptr) << "somebody was let in";
    }
    return all;
  }

  Authority authority;
  std::unique_ptr<TlsFactory> here;
  std::unique_ptr<transport::Door> door;
};

TEST_F(TlsDoor, ReadsItsOwnAddressesAlone) {
  EXPECT_TRUE(door->address().starts_with("tls:127.0.0.1:"));
  EXPECT_TRUE(here->reads(door->address()));
  EXPECT_TRUE(here->reads("tls:[fd00::1]:4711"));
  EXPECT_TRUE(here->reads("tls:big.example.org:4711"));
  EXPECT_FALSE(here->reads("tcp:127.0.0.1:4711"));
  EXPECT_FALSE(here->reads("tls:127.0.0.1"));
  EXPECT_FALSE(here->reads("tls:"));
  EXPECT_EQ(transport::standard_factories().at(door->address()), nullptr);
}

TEST_F(TlsDoor, ListensAtTheAddressAndPortsThatItIsGiven) {
  auto identity = authority.issue();
  const auto at = [&](Outside outside) { return TlsFactory::make(*identity, std::move(outside)).value()->open_door(); };
  const auto version_6 = at({.address = "::1", .door = {.address = "::1"}});
  if (version_6) {
    EXPECT_TRUE((*version_6)->address().starts_with("tls:[::1]:"));
    auto stream = here->connect((*version_6)->address(), {}, transport::Until::in(kPatience));
    EXPECT_TRUE(stream) << stream.error().message;
  }
  const auto named = at({.address = "localhost", .door = {.address = "127.0.0.2"}});
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_TRUE((*named)->address().starts_with("tls:localhost:"));
  // A range: one after the other, until none is free.
  const auto port = static_cast<std::uint16_t>(std::stoi(door->address().substr(door->address().rfind(':') + 1)));
  const auto taken =
      at({.address = "127.0.0.1", .door = {.address = "127.0.0.1", .first_port = port, .last_port = port}});
  ASSERT_FALSE(taken);
  EXPECT_TRUE(holds(taken.error().message, "Address already in use")) << taken.error().message;
  const auto foreign = at({.address = "192.0.2.1", .door = {.address = "192.0.2.1"}});
  ASSERT_FALSE(foreign);
  EXPECT_TRUE(holds(foreign.error().message, "192.0.2.1")) << foreign.error().message;
}

TEST_F(TlsDoor, ACertificateOfAnotherRunIsRefusedOnBothSides) {
  const auto other = Authority::make();
  EXPECT_TRUE(holds(told(*other->issue()), "its certificate is not of this run"));
  EXPECT_TRUE(holds(noted(), "refuses our certificate: this is another run"));
}

TEST_F(TlsDoor, AStolenCertificateWithoutItsRunIsRefusedByTheDoor) {
  // It believes us, since it has our authority; its own certificate is another run's.
  const auto other = Authority::make();
  Identity mixed = *other->issue();
  mixed.authority = authority.issue()->authority;
  EXPECT_TRUE(holds(told(mixed), "refuses our certificate"));
  EXPECT_TRUE(holds(noted(), "its certificate is not of this run"));
}

TEST_F(TlsDoor, CertificatesOutOfTheirTimeNameTheClock) {
  const auto old = authority.issue({.begin = -48h, .end = -24h});
  EXPECT_TRUE(holds(told(*old), "expired"));
  EXPECT_TRUE(holds(noted(), "its certificate has expired, or the clock of one machine is wrong"));
  const auto early = authority.issue({.begin = 24h, .end = 48h});
  (void)told(*early);
  EXPECT_TRUE(holds(noted(), "its certificate is not valid yet: the clock of one machine is wrong"));
}

TEST_F(TlsDoor, ClocksThatDifferByHoursDoNotMatter) {
  // What a machine issues whose clock is ten hours before or behind ours.
  for (const auto shift : {-10h, 10h}) {
    const Validity usual;
    const auto identity = authority.issue({.begin = usual.begin + shift, .end = usual.end + shift});
    auto other = TlsFactory::make(*identity, loopback());
    const Ends ends = connected(**other, *door, door->address());
    EXPECT_NE(ends.second, nullptr);
  }
}

TEST_F(TlsDoor, GarbageIsRefusedWithAReason) {
  (void)say(std::string(2000, 'x'));
  EXPECT_TRUE(holds(noted(), "it does not speak TLS"));
  (void)say("GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(holds(noted(), "it does not speak TLS"));
  // The first words of our own protocol, in plain.
  transport::FrameWriter writer;
  encode(writer.begin(transport::kHelloType), transport::Hello{.name = "a"});
  ASSERT_TRUE(writer.end());
  auto stream = tcp().connect("tcp:" + door->address().substr(4), {}, transport::Until::in(kPatience));
  ASSERT_TRUE(*writer.flush(**stream));
  EXPECT_TRUE(holds(noted(), "it does not speak TLS"));
}

/// A client of OpenSSL's own, over a stream of ours.
std::string use_client(const std::string& address, int version, bool is_downgrade) {
  const OwnedContext context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  if (is_downgrade) SSL_CTX_set_max_proto_version(context.get(), version);
  const OwnedBio bio(BIO_new_connect(address.substr(4).c_str()));
  const OwnedSsl ssl(SSL_new(context.get()));
  EXPECT_EQ(BIO_do_connect(bio.get()), 1);
  BIO_up_ref(bio.get());
  SSL_set_bio(ssl.get(), bio.get(), bio.get());
  char byte = 0;
  if (SSL_connect(ssl.get()) == 1 && SSL_read(ssl.get(), &byte, 1) > 0) return "read";
  return take_reason();
}

TEST_F(TlsDoor, ATokenWithoutACertificateDoesNotEvenGetHeard) {
  EXPECT_TRUE(holds(use_client(door->address(), TLS1_3_VERSION, false), "certificate required"));
  EXPECT_TRUE(holds(noted(), "it has no certificate"));
}

TEST_F(TlsDoor, NothingOlderThanTls13IsAccepted) {
  EXPECT_TRUE(holds(use_client(door->address(), TLS1_2_VERSION, true), "protocol version"));
  EXPECT_TRUE(holds(noted(), "it does not offer TLS 1.3"));
}

TEST_F(TlsDoor, ThoseWhoSayNothingKeepNobodyOut) {
  std::vector<std::unique_ptr<transport::Stream>> crowd;
  for (int i = 0; i < 200; ++i) {
    crowd.push_back(tcp().connect("tcp:" + door->address().substr(4), {}, transport::Until::in(kPatience)).value());
  }
  const auto other = factory(authority);
  const Ends ends = connected(*other, *door, door->address());
  EXPECT_NE(ends.second, nullptr);
}

}  // namespace tls_factory_test
}  // namespace tieline::secure
