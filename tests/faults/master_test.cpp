#include <arpa/inet.h>
#include <sys/mount.h>
#include <sys/socket.h>

#include "faults/endless_run.hpp"
#include "transport/endpoint.hpp"

// What happens to the master, and to runners: kills, Ctrl-C, a full disk, strangers at the door, many at once.

namespace tieline::faults {
namespace master_test {

void expect_runner_failure(int signal, const std::vector<std::string>& words, const std::string& transport) {
  const Endless endless(scene_of("good"), {"--isolate", "--transport", transport});
  ASSERT_TRUE(endless.is_running());
  const auto runners = endless.run.participants("wall");
  ASSERT_EQ(runners.size(), 1U);
  ::kill(*runners.begin(), signal);
  const auto outcome = endless.process->wait();
  ASSERT_TRUE(outcome) << "it goes on without a runner";
  endless.run.expect_failed(*outcome, words);
}

TEST(Runner, KilledInTheMiddle) {
  for (const char* transport : {"shared_memory", "tcp"}) {
    expect_runner_failure(SIGKILL, {"component 'wall'", "was ended by signal 9 (Killed) before the run was over"},
                          transport);
  }
}
TEST(Runner, StoppedInTheMiddle) {
  expect_runner_failure(SIGSTOP, {"component 'wall'", "no message for 2 s (the silence deadline)"}, "shared_memory");
}

TEST(Master, KilledTakesEverybodyWithIt) {
  for (const char* routing : {"direct", "master"}) {
    for (const char* tool : {"good", "grandchild"}) {
      const Endless endless(scene_of(tool), {"--isolate", "--routing", routing});
      ASSERT_TRUE(endless.is_running());
      // The list of processes is read while others come and go beside the run: one look may miss some.
      ASSERT_TRUE(endless.process->wait_until([&] { return endless.run.processes().size() >= 3; }));
      endless.process->send(SIGKILL);
      const auto outcome = endless.process->wait();
      ASSERT_TRUE(outcome);
      EXPECT_EQ(outcome->signal, SIGKILL);
      EXPECT_TRUE(endless.run.all_end()) << tool << ", " << routing;
      EXPECT_TRUE(results::ResultReader::open(endless.run.results()));
    }
  }
}

TEST(Master, StopsEverybodyOnRequest) {
  for (const char* tool : {"good", "grandchild"}) {
    const Endless endless(scene_of(tool), {"--isolate"});
    ASSERT_TRUE(endless.is_running());
    endless.expect_stops();
  }
}

TEST(Master, StopsOnRequestWhileItWaitsForAProgram) {
  Scene scene = scene_of("never_joins");
  scene.deadlines = R"(start_deadline="100")";
  const FaultRun run;
  run.write(scene);
  const auto process = run.start();
  ASSERT_TRUE(process->wait_until([&] { return !run.participants("tool").empty(); }));
  process->send(SIGINT);
  const auto outcome = process->wait();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit_code, 2);
  FaultRun::expect_said(*outcome, {"stopped on request"});
  run.expect_nothing_left();
}

TEST(Master, WithoutSpaceOnTheDiskSaysSo) {
  const Endless endless(scene_of("good"), {"--isolate"}, [] {
    const rlimit limit{500'000, 500'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
  });
  const auto outcome = endless.process->wait();
  ASSERT_TRUE(outcome) << "it goes on without space";
  endless.run.expect_failed(*outcome, {"results.h5", "File too large"});
}

/// Where the participants of a run connect to.
transport::Endpoint door_of(const FaultRun& run) {
  for (const pid_t id : run.participants("tool")) {
    const std::string environment = cli::text_of(fmt::format("/proc/{}/environ", id));
    const std::string word = "TIELINE_MASTER=";
    const auto begin = environment.find(word) + word.size();
    if (const auto door =
            transport::Endpoint::parse(environment.substr(begin, environment.find('\0', begin) - begin))) {
      return *door;
    }
  }
  return {};
}

core::Descriptor knock(const transport::Endpoint& door) {
  core::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(door.port);
  ::inet_pton(AF_INET, door.name.c_str(), &address.sin_addr);
  (void)::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  return socket;
}

TEST(Master, IsNotDisturbedByStrangers) {
  const Endless endless(scene_of("good"), {"--isolate", "--transport", "tcp"});
  ASSERT_TRUE(endless.is_running());
  const transport::Endpoint door = door_of(endless.run);
  ASSERT_EQ(door.kind, transport::Endpoint::Kind::tcp);
  std::vector<core::Descriptor> strangers;
  const auto say = [&](const std::string& words) {
    strangers.push_back(knock(door));
    pollfd ready{strangers.back().get(), POLLOUT, 0};
    ASSERT_GT(::poll(&ready, 1, 10'000), 0);
    EXPECT_GT(::send(strangers.back().get(), words.data(), words.size(), MSG_NOSIGNAL), 0);
  };
  say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  say(std::string(100'000, '\xff'));
  say("T");  // the rest never comes
  ASSERT_TRUE(endless.is_running());
  for (int i = 0; i < 1000; ++i) strangers.push_back(knock(door));
  ASSERT_TRUE(endless.is_running());
  endless.expect_stops();
}

}  // namespace master_test
}  // namespace tieline::faults
