#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>

#include "faults/fault_run.hpp"
#include "transport/connection.hpp"
#include "transport/hello.hpp"
#include "transport/link_setup.hpp"
#include "transport/membership.hpp"
#include "transport/messages.hpp"

// Partners that speak the protocol wrongly, byte by byte: the master awaits a tool, and the test plays it.

namespace tieline::faults {
namespace wire_test {

using transport::Message;
using transport::Until;

constexpr std::chrono::seconds kPatience{30};

/// A run that awaits its tool.
class Awaited {
 public:
  explicit Awaited(
      const std::vector<std::string>& arguments = {}, const Scene& scene = {},
      const std::function<void()>& prepare = [] {}) {
    run.write(scene);
    process = run.start(arguments, prepare);
    const auto file = run.results() / "processes" / "tool.join";
    const auto value = [&](const std::string& name) {
      const std::string text = cli::text_of(file), word = name + "='";
      const auto begin = text.find(word);
      if (begin == std::string::npos) return std::string();
      return text.substr(begin + word.size(), text.find('\'', begin + word.size()) - begin - word.size());
    };
    process->wait_until([&] { return !value("TIELINE_COMPONENT").empty(); });
    const auto token = transport::Token::parse(value("TIELINE_TOKEN"));
    if (!token) throw std::runtime_error("nobody is invited");
    invitation = {value("TIELINE_MASTER"), *token, value("TIELINE_COMPONENT")};
  }

  [[nodiscard]] std::unique_ptr<transport::Stream> connect() const {
    const transport::StreamFactory* const factory = transport::standard_factories().at(invitation.address);
    if (factory == nullptr) throw std::runtime_error("nobody can be reached at '" + invitation.address + "'");
    auto stream = factory->connect(invitation.address, {}, Until::in(kPatience));
    if (!stream) throw std::runtime_error(stream.error().describe());
    return std::move(*stream);
  }
  /// A control connection that was welcomed, and may now misbehave.
  [[nodiscard]] transport::Connection join() const {
    transport::Connection connection(connect(), "the master");
    const auto introduced =
        transport::introduce(connection, {.token = invitation.token, .name = invitation.name}, Until::in(kPatience));
    EXPECT_TRUE(introduced);
    return connection;
  }
  void expect_failed(const std::vector<std::string>& words) {
    const auto outcome = process->wait();
    ASSERT_TRUE(outcome) << "the run does not end";
    run.expect_failed(*outcome, words);
  }

  FaultRun run;
  std::unique_ptr<Process> process;
  transport::Invitation invitation{};
};

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

void write_all(transport::Stream& stream, std::span<const std::byte> bytes) {
  const auto written = stream.write_some(bytes);
  ASSERT_TRUE(written);
  ASSERT_EQ(*written, bytes.size());
}

// Frames: size (4 bytes), type (2 bytes), zero (2 bytes), payload.
const auto kNotAFrame = bytes_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
const auto kOversized = bytes_of({0xff, 0xff, 0xff, 0xff, 48, 0, 0, 0});
const auto kTruncated = bytes_of({100, 0, 0, 0, 48, 0, 0, 0, 1, 2, 3});
const auto kUnknownType = bytes_of({0, 0, 0, 0, 0xf0, 0x0f, 0, 0});
const auto kUnreadable = bytes_of({3, 0, 0, 0, 48, 0, 0, 0, 1, 2, 3});

void expect_bad_control(std::span<const std::byte> bytes, const std::string& words) {
  Awaited awaited;
  auto connection = awaited.join();
  write_all(connection.stream(), bytes);
  awaited.expect_failed({"component 'tool'", words});
}

TEST(ControlConnection, ThatBringsNoFrames) { expect_bad_control(kNotAFrame, "protocol"); }
TEST(ControlConnection, ThatAnnouncesAnEndlessFrame) { expect_bad_control(kOversized, "4294967295 bytes"); }
TEST(ControlConnection, ThatBringsAnUnknownMessage) {
  expect_bad_control(kUnknownType, "sent a message of the unknown type 4080");
}
TEST(ControlConnection, ThatBringsAnUnreadableMessage) {
  expect_bad_control(kUnreadable, "sent a message that cannot be read");
}
TEST(ControlConnection, ThatEndsInsideAFrame) {
  Awaited awaited;
  auto connection = awaited.join();
  // With all read that has come: closing a socket otherwise takes back what was written.
  ASSERT_TRUE(connection.receive(Until::in(kPatience)));
  write_all(connection.stream(), kTruncated);
  connection.close();
  awaited.expect_failed({"component 'tool'", "the connection ended inside a message"});
}
TEST(ControlConnection, ThatIsClosed) {
  Awaited awaited;
  awaited.join().close();
  awaited.expect_failed({"component 'tool'", "it closed its connection before the run was over"});
}
/// Sends a message again and again until nobody reads any more.
void flood(transport::Connection& connection, Message type, std::size_t size) {
  const std::vector<std::byte> payload(size);
  for (int i = 0; i < 100'000; ++i) {
    connection.writer().begin(static_cast<std::uint16_t>(type)).raw(payload);
    if (!connection.writer().end() || !connection.flush(Until::in(kPatience))) return;
  }
}

TEST(ControlConnection, ThatBringsWhatNobodyHasAskedFor) {
  Awaited awaited;
  auto connection = awaited.join();
  flood(connection, Message::ready, 0);
  awaited.expect_failed({"component 'tool'", "sends messages that nobody has asked for: 1024 wait to be read"});
}
TEST(ControlConnection, ThatBringsMoreThanFitsIntoMemory) {
  if (support::kIsInstrumented) GTEST_SKIP() << "needs a bound for memory";
  Awaited awaited({}, {}, [] {
    const rlimit limit{std::size_t{500} << 20, std::size_t{500} << 20};
    ::setrlimit(RLIMIT_AS, &limit);
  });
  auto connection = awaited.join();
  flood(connection, Message::parked, std::size_t{200} << 20);
  awaited.expect_failed({"component 'tool'", "sent more than this machine's memory can take"});
}
TEST(ControlConnection, ThatSaysNothing) {
  Awaited awaited;
  auto connection = awaited.join();
  awaited.expect_failed({"component 'tool'", "no message for 2 s"});
}

// Those who are not let in do no harm; the tool itself never comes.
TEST(Introduction, OfAnotherVersionIsRefused) {
  Awaited awaited;
  transport::Connection connection(awaited.connect(), "the master");
  transport::ByteBuffer payload;
  encode(transport::Encoder(payload), transport::Hello{.token = awaited.invitation.token, .name = "tool"});
  std::vector<std::byte> frame = bytes_of({static_cast<int>(payload.size()), 0, 0, 0, transport::kHelloType, 0, 0, 0});
  frame.insert(frame.end(), payload.data(), payload.data() + payload.size());
  frame[transport::kFrameHeaderSize + 8] = std::byte{99};  // behind the magic
  write_all(connection.stream(), frame);
  const auto answer = connection.receive(Until::in(kPatience));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->type, transport::kRefusalType);
  awaited.expect_failed({"refused a connection: protocol version 99 was offered, version 5 is required here",
                         "component 'tool'", "has not joined within 3 s"});
}
TEST(Introduction, WithAnotherTokenIsRefused) {
  Awaited awaited;
  transport::Invitation forged = awaited.invitation;
  forged.token = {};
  const auto joined = transport::Membership::join(forged, Until::in(kPatience));
  ASSERT_FALSE(joined);
  EXPECT_NE(joined.error().message.find("the token is wrong"), std::string::npos) << joined.error().message;
  awaited.expect_failed({"refused a connection: the token is wrong", "component 'tool'", "has not joined within 3 s"});
}

/// A tool that does all that it should up to the moment when windows are exchanged.
class RawTool {
 public:
  explicit RawTool(const Awaited& awaited) {
    auto joined = transport::Membership::join(awaited.invitation, Until::in(kPatience));
    if (!joined) throw std::runtime_error(joined.error().describe());
    membership = std::move(*joined);
    const auto setup = receive(Message::setup);
    membership->set_beat_interval(transport::decode<transport::Setup>(setup.payload).value().beat_interval);
  }

  [[nodiscard]] transport::ReceivedMessage receive(Message type) const {
    auto message = membership->receive(Until::in(kPatience));
    if (!message) throw std::runtime_error(message.error().describe());
    EXPECT_EQ(message->type, type);
    return std::move(*message);
  }
  void register_with(const transport::Registration& registration) const {
    ASSERT_TRUE(membership->send(Message::registered, [&](transport::Encoder e) { encode(e, registration); }));
  }
  [[nodiscard]] transport::Registration registration() const {
    transport::RegisteredInterface axle{.interface = {.name = "axle"}, .first = {0.0, 0.0}};
    return {.interfaces = {axle}, .endpoint = links->addresses()};
  }
  /// Up to where all links stand.
  void begin() {
    auto message = receive(Message::begin);
    auto begin = transport::decode<transport::Begin>(message.payload).value();
    auto made = links->make(begin.links, std::move(message.attachments), Until::in(kPatience));
    if (!made) throw std::runtime_error(made.error().describe());
    link = std::move(made->front());
  }
  void be_ready() {
    register_with(registration());
    begin();
    ASSERT_TRUE(membership->send(Message::ready));
    (void)receive(Message::go);
  }

  std::unique_ptr<transport::Membership> membership;
  core::Result<transport::LinkSetup> links = transport::LinkSetup::open("tool", "shared_memory tcp");
  std::unique_ptr<transport::Stream> link;
};

TEST(ControlConnection, TriedTwiceIsRefusedTheSecondTime) {
  Awaited awaited;
  RawTool tool(awaited);
  const auto second = transport::Membership::join(awaited.invitation, Until::in(kPatience));
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("component 'tool' has already joined"), std::string::npos);
  // The first is as welcome as before.
  tool.be_ready();
  tool.membership.reset();
  awaited.expect_failed({"refused a connection: component 'tool' has already joined", "component 'tool'",
                         "it closed its connection before the run was over"});
}

void expect_bad_registration(const std::function<void(transport::Registration&)>& spoil,
                             const std::vector<std::string>& words) {
  Awaited awaited;
  const RawTool tool(awaited);
  transport::Registration registration = tool.registration();
  spoil(registration);
  tool.register_with(registration);
  awaited.expect_failed(words);
}

TEST(Registration, WithAnotherNameShowsIt) {
  expect_bad_registration([](transport::Registration& changed) { changed.interfaces[0].interface.name = "axel"; },
                          {"component 'tool'", "interface 'axle' of the model is not registered ('axel' is)"});
}
TEST(Registration, OfAnotherDomain) {
  expect_bad_registration(
      [](transport::Registration& changed) { changed.interfaces[0].interface.domain = core::Domain::rotation; },
      {"component 'tool'", "interface 'axle' is registered as rotation"});
}
TEST(Registration, WithValuesThatAreNotFinite) {
  expect_bad_registration([](transport::Registration& changed) { changed.interfaces[0].first[0] = std::nan(""); },
                          {"component 'tool'", "the first values of interface 'axle' are not finite"});
}
TEST(Registration, WithTooFewValues) {
  expect_bad_registration([](transport::Registration& changed) { changed.interfaces[0].first.clear(); },
                          {"component 'tool'", "the first values of interface 'axle'"});
}

/// TCP sockets of a process at which others could connect.
std::size_t tcp_listeners_of(pid_t process) {
  const std::string own = fmt::format("/proc/{}", process);
  std::set<std::string> listening;
  for (const char* table : {"/net/tcp", "/net/tcp6"}) {
    std::istringstream lines(cli::text_of(own + table));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::vector<std::string> fields(std::istream_iterator<std::string>{words}, {});
      constexpr std::size_t kState = 3, kNumber = 9;
      if (fields.size() > kNumber && fields[kState] == "0A") listening.insert("socket:[" + fields[kNumber] + "]");
    }
  }
  std::size_t count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(own + "/fd", ignored)) {
    count += listening.contains(std::filesystem::read_symlink(entry.path(), ignored).string()) ? 1 : 0;
  }
  return count;
}

// Nothing that another user could connect to is open where nobody needs it.
TEST(Links, InSharedMemoryNeedNoTcpListener) {
  for (const char* transport : {"shared_memory", "tcp"}) {
    Awaited awaited({"--isolate", "--transport", transport}, {.deadlines = R"(shutdown_deadline="1")"});
    const RawTool tool(awaited);
    tool.register_with(tool.registration());
    (void)tool.receive(Message::begin);
    std::size_t count = 0;
    for (const pid_t process : awaited.run.processes()) count += tcp_listeners_of(process);
    EXPECT_EQ(count > 0, transport == std::string("tcp")) << transport << ": " << count;
    awaited.process->send(SIGINT);
    ASSERT_TRUE(awaited.process->wait()) << "the run does not end";
  }
}

// Alive, but it never takes up what it was offered.
TEST(Links, ThatAreNeverTakenUp) {
  for (const char* transport : {"shared_memory", "tcp"}) {
    Awaited awaited({"--transport", transport});
    const RawTool tool(awaited);
    tool.register_with(tool.registration());
    awaited.expect_failed({"'tool'", "3 s (the start deadline)"});
  }
}
TEST(Links, ThatAreNeverTakenUpAreGivenUpOnRequest) {
  for (const char* transport : {"shared_memory", "tcp"}) {
    Awaited awaited({"--transport", transport}, {.deadlines = R"(start_deadline="100" shutdown_deadline="1")"});
    const RawTool tool(awaited);
    tool.register_with(tool.registration());
    (void)tool.receive(Message::begin);
    awaited.process->send(SIGINT);
    const auto outcome = awaited.process->wait();
    ASSERT_TRUE(outcome) << "the run does not end";
    EXPECT_EQ(outcome->exit_code, 2);
    FaultRun::expect_said(*outcome, {"stopped on request"});
  }
}
TEST(Links, ThatAreNeverSaidToStand) {
  Awaited awaited;
  RawTool tool(awaited);
  tool.register_with(tool.registration());
  tool.begin();
  awaited.expect_failed({"component 'tool'", "has not established its connections within 3 s (the start deadline)"});
}

TEST(Rows, ForTablesOfOthersAreRefused) {
  for (const auto& [table, words] :
       {std::pair{"ground", "sent rows for the table 'ground', which is not its own"},
        std::pair{"tool", "sent rows of 2 numbers for the table 'tool', which does not expect them"}}) {
    Awaited awaited;
    RawTool tool(awaited);
    tool.be_ready();
    const transport::Rows rows{.table = table, .width = 2, .numbers = {0.0, 1.0}};
    ASSERT_TRUE(tool.membership->send(transport::Message::rows, [&](transport::Encoder e) { encode(e, rows); }));
    awaited.expect_failed({"component 'tool'", words});
  }
}

// The tool's own table has its time, and for its one interface position, velocity and force.
TEST(Rows, WhoseTimesDoNotAscendAreRefused) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [times, words] :
       {std::pair{std::array{1e-3, 5e-4}, "sent a row at t = 0.0005 s for the table 'tool' after one at t = 0.001 s"},
        std::pair{std::array{0.0, kNone}, "sent a row at t = nan s"}}) {
    Awaited awaited;
    RawTool tool(awaited);
    tool.be_ready();
    const transport::Rows rows{
        .table = "tool", .width = 4, .numbers = {times[0], 0.0, 0.0, 0.0, times[1], 0.0, 0.0, 0.0}};
    ASSERT_TRUE(tool.membership->send(transport::Message::rows, [&](transport::Encoder e) { encode(e, rows); }));
    awaited.expect_failed({"component 'tool'", words, "for the table 'tool'"});
  }
}

void expect_bad_link(std::span<const std::byte> bytes, bool closes, const std::vector<std::string>& words) {
  for (const std::vector<std::string>& way : {std::vector<std::string>{"--transport", "shared_memory"},
                                              {"--transport", "tcp"},
                                              {"--transport", "tcp", "--isolate"},
                                              {"--transport", "shared_memory", "--isolate", "--routing", "master"}}) {
    Awaited awaited(way);
    RawTool tool(awaited);
    tool.be_ready();
    write_all(*tool.link, bytes);
    if (closes) tool.link->close();
    awaited.expect_failed(words);
  }
}

TEST(Link, ThatBringsNoFrames) { expect_bad_link(kNotAFrame, false, {"'tool'", "protocol"}); }
TEST(Link, ThatAnnouncesAnEndlessFrame) { expect_bad_link(kOversized, false, {"'tool'", "4294967295 bytes"}); }
TEST(Link, ThatEndsInsideAFrame) { expect_bad_link(kTruncated, true, {"'tool'"}); }
TEST(Link, ThatBringsAnotherMessage) {
  expect_bad_link(kUnknownType, false, {"'tool'", "sent a message that is not valid on a link"});
}
TEST(Link, ThatBringsAWindowOutOfTurn) {
  expect_bad_link(bytes_of({8, 0, 0, 0, 64, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0}), false,
                  {"'tool'", "sent a window that does not follow its last one"});
}
TEST(Link, ThatBringsAnEmptyWindow) {
  expect_bad_link(bytes_of({8, 0, 0, 0, 64, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}), false,
                  {"'tool'", "sent a wave without a sample"});
}
TEST(Link, ThatIsClosed) { expect_bad_link({}, true, {"'tool'"}); }

}  // namespace wire_test
}  // namespace tieline::faults
