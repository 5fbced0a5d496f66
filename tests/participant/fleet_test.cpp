#include "participant/fleet.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "support/temporary_folder.hpp"
#include "transport/connection.hpp"
#include "transport/hello.hpp"

// Who is let in, and who is not.

namespace tieline::participant {
namespace fleet_test {

using namespace std::chrono_literals;
using transport::Until;

constexpr auto kLong = 60s;

/// A fleet that awaits everybody, and those who come.
class Awaiting {
 public:
  explicit Awaiting(const std::vector<std::string>& names, const std::string& transport = "shared_memory") {
    FleetSettings settings{.silence_deadline = 600.0, .shutdown_deadline = 0.1, .folder = folder_.path()};
    settings.on_note = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      notes_.push_back(line);
    };
    std::vector<Invitee> invitees;
    for (const std::string& name : names) {
      invitees.push_back({.name = name, .start_deadline = 600.0});
      invitees.back().streams = transport::standard_factories().named(transport);
    }
    auto launched = Fleet::launch(std::move(settings), std::move(invitees));
    EXPECT_TRUE(launched) << launched.error().describe();
    fleet_ = std::move(*launched);
  }

  [[nodiscard]] transport::Invitation invitation(const std::string& name) const {
    transport::Invitation invitation{.name = name};
    std::optional<transport::Token> token;
    // The fleet's thread writes the file.
    for (const auto end = transport::Clock::now() + kLong; !token && transport::Clock::now() < end;) {
      std::ifstream file(folder_.path() / (name + ".join"));
      for (std::string line; std::getline(file, line);) {
        const auto value = [&] { return line.substr(line.find('\'') + 1, line.rfind('\'') - line.find('\'') - 1); };
        if (line.find("TIELINE_MASTER") != std::string::npos) invitation.address = value();
        if (line.find("TIELINE_TOKEN") != std::string::npos) token = transport::Token::parse(value());
      }
      std::this_thread::yield();
    }
    EXPECT_TRUE(token) << name << " is not invited";
    invitation.token = token.value_or(transport::Token());
    return invitation;
  }
  /// Why somebody is refused; empty if it has joined, and stays.
  [[nodiscard]] std::string refusal_of(const transport::Invitation& invitation) {
    auto joined = transport::Membership::join(invitation, Until::in(kLong));
    if (!joined) return joined.error().message;
    members_.push_back(std::move(*joined));
    return "";
  }
  [[nodiscard]] std::vector<std::string> notes() const {
    const std::lock_guard lock(mutex_);
    return notes_;
  }
  /// How often something was said.
  [[nodiscard]] long count_notes(const std::string& words) const {
    const auto all = notes();
    return std::count_if(all.begin(), all.end(),
                         [&](const std::string& note) { return note.find(words) != std::string::npos; });
  }

 private:
  support::TemporaryFolder folder_;
  mutable std::mutex mutex_;
  std::vector<std::string> notes_;
  std::unique_ptr<Fleet> fleet_;
  std::vector<std::unique_ptr<transport::Membership>> members_;
};

TEST(Fleet, EveryMemberHasATokenOfItsOwn) {
  Awaiting run({"rotor", "stator"});
  const transport::Invitation rotor = run.invitation("rotor"), stator = run.invitation("stator");
  EXPECT_FALSE(rotor.token.equals(stator.token));
  transport::Invitation forged = stator;
  forged.token = rotor.token;
  EXPECT_EQ(run.refusal_of(forged), "the master refused the connection: the token is wrong");
  forged.token = {};
  EXPECT_EQ(run.refusal_of(forged), "the master refused the connection: the token is wrong");
  EXPECT_EQ(run.refusal_of(rotor), "");
  EXPECT_EQ(run.refusal_of(stator), "");
}

TEST(Fleet, ATokenAdmitsOnce) {
  Awaiting run({"rotor", "stator"});
  const transport::Invitation rotor = run.invitation("rotor");
  EXPECT_EQ(run.refusal_of(rotor), "");
  EXPECT_EQ(run.refusal_of(rotor), "the master refused the connection: component 'rotor' has already joined");
  transport::Invitation other = rotor;
  other.name = "stator";
  EXPECT_EQ(run.refusal_of(other), "the master refused the connection: the token is wrong");
}

TEST(Fleet, ANameThatNobodyHasIsNamed) {
  Awaiting run({"rotor", "stator"});
  transport::Invitation rotor = run.invitation("rotor");
  rotor.name = "roter";
  EXPECT_EQ(run.refusal_of(rotor),
            "the master refused the connection: this run has no participant 'roter'; did you mean 'rotor'?");
}

/// Connections that never say who they are.
std::vector<std::unique_ptr<transport::Stream>> silent_ones(const std::string& address, std::size_t count) {
  std::vector<std::unique_ptr<transport::Stream>> streams;
  for (std::size_t i = 0; i < count; ++i) {
    auto stream = transport::standard_factories().at(address)->connect(address, {}, Until::in(kLong));
    EXPECT_TRUE(stream) << stream.error().describe();
    if (stream) streams.push_back(std::move(*stream));
  }
  return streams;
}

// More than may wait at once, of the same user: the oldest of them make room.
TEST(Fleet, ThoseWhoSayNothingKeepNobodyOut) {
  for (const char* transport : {"tcp", "shared_memory"}) {
    SCOPED_TRACE(transport);
    Awaiting run({"rotor", "stator"}, transport);
    const transport::Invitation rotor = run.invitation("rotor"), stator = run.invitation("stator");
    const auto before = silent_ones(rotor.address, 200);
    EXPECT_EQ(run.refusal_of(rotor), "");
    const auto after = silent_ones(rotor.address, 200);
    EXPECT_EQ(run.refusal_of(stator), "");
    EXPECT_EQ(run.count_notes("too many connections are open that have not said who they are"), 1);
  }
}

// A crowd that never stops coming.
TEST(Fleet, WhoIsClosedInACrowdComesIn) {
  Awaiting run({"rotor"}, "tcp");
  const transport::Invitation rotor = run.invitation("rotor");
  std::atomic<bool> is_over = false;
  std::thread crowd([&] {
    while (!is_over) (void)silent_ones(rotor.address, 100);
  });
  EXPECT_EQ(run.refusal_of(rotor), "");
  is_over = true;
  crowd.join();
}

/// Runs a function in a process of another user; its exit code.
int as_another_user(const std::function<int()>& function) {
  constexpr uid_t kNobody = 65534;
  const pid_t id = ::fork();
  if (id == 0) {
    if (::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(99);
    ::_exit(function());
  }
  int status = 0;
  ::waitpid(id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Fleet, OtherUsersAreClosedAtOnceAndReportedOnce) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  Awaiting run({"rotor"});
  const transport::Invitation rotor = run.invitation("rotor");
  // With the right token, too.
  const int code = as_another_user([&] {
    for (int i = 0; i < 100; ++i) {
      auto stream = transport::standard_factories().at(rotor.address)->connect(rotor.address, {}, Until::in(kLong));
      if (!stream) return 2;
      transport::Connection connection(std::move(*stream), "the master");
      const auto introduced =
          transport::introduce(connection, {.token = rotor.token, .name = rotor.name}, Until::in(kLong));
      if (introduced || introduced.error().code != core::ErrorCode::peer_lost) return 3;
    }
    return 0;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(run.refusal_of(rotor), "");
  EXPECT_EQ(run.count_notes("another user of this machine tries to connect to this run"), 1);
  EXPECT_EQ(run.count_notes("refused"), 0);
}

}  // namespace fleet_test
}  // namespace tieline::participant
