// What an exchange between two processes costs: round trips of the message that two components on one line in space
// send each other in a window (six waves of one knot and an energy each, four knots of orientation).
//
//   shared floor   the same bytes copied into shared memory and out of it, both sides spinning: no frames, no checks
//   ring floor     the same, each message behind the last one in as much memory as our stream has: what is written
//                  lies in the partner's cache, but no longer in the nearest one
//   shared         our stream in shared memory with frames, encoding and decoding, both sides spinning
//   TCP floor      the same bytes through a blocking socket of this machine, without Nagle's delay
//   TCP            our stream over such a socket, with frames, encoding, decoding and Waiter
//   TLS floor      the same bytes through OpenSSL over a blocking socket of this machine
//   TLS            the stream between hosts: TLS, what is kept until it is confirmed, frames, encoding and Waiter
// Then with ten lines, and with eight pairs of processes at once, none of which spins. At the end whole runs: windows
// of two masses on one line and on ten, each mass in a process of its own, beside both in one.
//
// All numbers are microseconds for a round trip, of the fastest and of the median repetition; ratios are those of the
// medians. Fails if a value arrives changed.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tieline/simulation.hpp"

#include "row.hpp"
#include "secure/lasting_stream.hpp"
#include "secure/openssl.hpp"
#include "secure/tls_stream.hpp"
#include "transport/endpoint.hpp"
#include "transport/frame.hpp"
#include "transport/hello.hpp"
#include "transport/shared_stream.hpp"
#include "transport/socket_stream.hpp"
#include "transport/waiter.hpp"

namespace {

using namespace tieline::transport;
using namespace std::chrono_literals;

// Many and short, so that some are left alone by whatever else the machine does.
constexpr int kRepeats = 15;
constexpr int kPairs = 8;
constexpr std::uint16_t kMessageType = kFirstMessageType;
constexpr auto kPatience = 60s;

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "FAILED: {}\n", why);
  std::_Exit(1);
}

template <class T>
T must(tieline::core::Result<T> result) {
  if (!result) give_up(result.error().message);
  return std::move(*result);
}

using Knot = std::array<double, 4>;  // time, integral, value, rate

/// What goes over one connection in a window.
struct Message {
  explicit Message(std::size_t lines) : waves(6 * lines), energies(6 * lines), orientations(4 * lines) {}
  std::vector<Knot> waves;
  std::vector<double> energies;
  std::vector<Knot> orientations;

  void encode(Encoder encoder) const {
    for (std::size_t i = 0; i < waves.size(); ++i) {
      encoder.count(1);
      encoder.raw_doubles(waves[i]);
      encoder.f64(energies[i]);
    }
    encoder.count(orientations.size());
    for (const Knot& knot : orientations) encoder.raw_doubles(knot);
  }
  bool decode(Decoder decoder) {
    for (std::size_t i = 0; i < waves.size(); ++i) {
      if (decoder.count(sizeof(Knot)) != 1) return false;
      decoder.raw_doubles(waves[i]);
      energies[i] = decoder.f64();
    }
    if (decoder.count(sizeof(Knot)) != orientations.size()) return false;
    for (Knot& knot : orientations) decoder.raw_doubles(knot);
    return decoder.is_complete();
  }
  [[nodiscard]] std::size_t bytes() const {
    return kFrameHeaderSize + waves.size() * (4 + sizeof(Knot) + 8) + 4 + orientations.size() * sizeof(Knot);
  }
};

/// One side of an exchange.
class Talker {
 public:
  Talker() = default;
  Talker(const Talker&) = delete;
  Talker& operator=(const Talker&) = delete;
  virtual ~Talker() = default;
  virtual void send(double value) = 0;
  virtual double receive() = 0;
};

/// Frames over one of our streams; the value stands everywhere in the message.
class StreamTalker final : public Talker {
 public:
  StreamTalker(std::unique_ptr<Stream> stream, std::size_t lines, WaiterOptions options)
      : stream_(std::move(stream)), message_(lines), waiter_(options) {
    (void)waiter_.add(*stream_);
  }
  void send(double value) override {
    for (Knot& knot : message_.waves) knot.fill(value);
    for (Knot& knot : message_.orientations) knot.fill(value);
    std::fill(message_.energies.begin(), message_.energies.end(), value);
    message_.encode(writer_.begin(kMessageType));
    if (!writer_.end() || !must(writer_.flush(*stream_))) give_up("the message does not fit");
  }
  double receive() override {
    for (;;) {
      if (must(waiter_.wait(Until::in(kPatience))) != Waiter::Outcome::ready) give_up("the partner is late");
      const auto frame = must(reader_.next(*stream_));
      if (!frame) continue;
      if (frame->type != kMessageType || !message_.decode(Decoder(frame->payload))) give_up("the message is damaged");
      const double value = message_.energies[0];
      if (message_.waves.back()[3] != value || message_.orientations.back()[0] != value) give_up("a value has changed");
      return value;
    }
  }

 private:
  std::unique_ptr<Stream> stream_;
  Message message_;
  FrameReader reader_;
  FrameWriter writer_;
  Waiter waiter_;
};

/// Memory of the floor: one message each way, and how many were put there.
struct Slots {
  struct Slot {
    alignas(128) std::atomic<std::uint64_t> count{0};
    alignas(128) std::array<std::byte, 2 * kDefaultRingCapacity> bytes{};
  };
  std::array<Slot, 2> slots{};
};

class RawMemoryTalker final : public Talker {
 public:
  /// Messages lie behind each other within this length, or all at one place where it is 1.
  RawMemoryTalker(Slots& memory, std::size_t side, std::size_t bytes, std::size_t length)
      : out_(memory.slots[side]), in_(memory.slots[1 - side]), bytes_(bytes), length_(length) {}
  void send(double value) override {
    std::memcpy(bytes_.data(), &value, sizeof value);
    std::memcpy(out_.bytes.data() + place(sent_), bytes_.data(), bytes_.size());
    out_.count.store(++sent_, std::memory_order_release);
  }
  double receive() override {
    while (in_.count.load(std::memory_order_acquire) == received_) __builtin_ia32_pause();
    std::memcpy(bytes_.data(), in_.bytes.data() + place(received_++), bytes_.size());
    double value = 0.0;
    std::memcpy(&value, bytes_.data(), sizeof value);
    return value;
  }

 private:
  [[nodiscard]] std::size_t place(std::uint64_t count) const { return count * bytes_.size() % length_; }

  Slots::Slot& out_;
  Slots::Slot& in_;
  std::vector<std::byte> bytes_;
  std::size_t length_;
  std::uint64_t sent_ = 0, received_ = 0;
};

class RawSocketTalker final : public Talker {
 public:
  RawSocketTalker(Descriptor socket, std::size_t bytes) : socket_(std::move(socket)), bytes_(bytes) {
    const int on = 1;
    if (setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0 ||
        fcntl(socket_.get(), F_SETFL, fcntl(socket_.get(), F_GETFL) & ~O_NONBLOCK) < 0) {
      give_up("a socket cannot be set up");
    }
  }
  void send(double value) override {
    std::memcpy(bytes_.data(), &value, sizeof value);
    if (::send(socket_.get(), bytes_.data(), bytes_.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes_.size())) {
      give_up("a socket did not take a message");
    }
  }
  double receive() override {
    if (::recv(socket_.get(), bytes_.data(), bytes_.size(), MSG_WAITALL) != static_cast<ssize_t>(bytes_.size())) {
      give_up("a socket did not give a message");
    }
    double value = 0.0;
    std::memcpy(&value, bytes_.data(), sizeof value);
    return value;
  }

 private:
  Descriptor socket_;
  std::vector<std::byte> bytes_;
};

/// Makes one side of an exchange, in the process that it is for.
using Side = std::function<std::unique_ptr<Talker>()>;
struct Exchange {
  Side first{}, second{};
};

/// The two ends of a TCP connection within this machine.
std::array<std::shared_ptr<Descriptor>, 2> tcp_pair() {
  auto listener = must(Listener::tcp());
  auto first = must(connect_to(listener.endpoint(), Until::in(kPatience)));
  Waiter waiter;
  (void)waiter.add(Waitable(listener.descriptor()));
  (void)must(waiter.wait(Until::in(kPatience)));
  auto second = must(listener.accept());
  if (!second) give_up("no connection came");
  return {std::make_shared<Descriptor>(std::move(first)), std::make_shared<Descriptor>(std::move(*second))};
}

Exchange shared_floor(std::size_t lines, std::size_t length) {
  void* const address = mmap(nullptr, sizeof(Slots), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) give_up("no shared memory");
  const std::shared_ptr<Slots> slots(new (address) Slots, [](Slots* memory) { munmap(memory, sizeof(Slots)); });
  const std::size_t bytes = Message(lines).bytes();
  const auto side = [=](std::size_t index) {
    return [=] { return std::make_unique<RawMemoryTalker>(*slots, index, bytes, length); };
  };
  return {side(0), side(1)};
}

Exchange shared(std::size_t lines, std::chrono::nanoseconds spin) {
  const auto parts = std::make_shared<SharedParts>(must(make_shared_parts()));
  const auto side = [=](tieline::transport::Side which) {
    return [=] {
      const auto own = static_cast<std::size_t>(which);
      parts->sockets[1 - own].reset();
      auto stream = must(SharedStream::adopt(std::move(parts->memory), std::move(parts->sockets[own]), which));
      return std::make_unique<StreamTalker>(std::move(stream), lines, WaiterOptions{.spin = spin});
    };
  };
  return {side(tieline::transport::Side::first), side(tieline::transport::Side::second)};
}

Exchange tcp_floor(std::size_t lines) {
  const auto ends = tcp_pair();
  const auto side = [=](std::size_t index) {
    return [=] { return std::make_unique<RawSocketTalker>(std::move(*ends[index]), Message(lines).bytes()); };
  };
  return {side(0), side(1)};
}

Exchange tcp(std::size_t lines) {
  const auto ends = tcp_pair();
  const auto side = [=](std::size_t index) {
    return [=] {
      auto stream = must(SocketStream::adopt(std::move(*ends[index])));
      return std::make_unique<StreamTalker>(std::move(stream), lines, WaiterOptions{});
    };
  };
  return {side(0), side(1)};
}

/// Both ends' certificates, of one run.
std::array<tieline::secure::Identity, 2> identities() {
  auto authority = must(tieline::secure::Authority::make());
  return {must(authority.issue()), must(authority.issue())};
}

/// OpenSSL by itself, waiting in its calls.
class RawTlsTalker final : public Talker {
 public:
  RawTlsTalker(Descriptor socket, const tieline::secure::Identity& identity, bool connects, std::size_t bytes)
      : socket_(std::move(socket)), bytes_(bytes) {
    const int on = 1;
    if (setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0 ||
        fcntl(socket_.get(), F_SETFL, fcntl(socket_.get(), F_GETFL) & ~O_NONBLOCK) < 0) {
      give_up("a socket cannot be set up");
    }
    context_.reset(SSL_CTX_new(TLS_method()));
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_3_VERSION);
    SSL_CTX_set_ciphersuites(context_.get(), "TLS_AES_128_GCM_SHA256");
    SSL_CTX_use_certificate(context_.get(), tieline::secure::certificate_of(identity.certificate).get());
    SSL_CTX_use_PrivateKey(context_.get(), tieline::secure::key_of(identity.key).get());
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), socket_.get());
    if ((connects ? SSL_connect(ssl_.get()) : SSL_accept(ssl_.get())) != 1) give_up("no handshake");
  }
  void send(double value) override {
    std::memcpy(bytes_.data(), &value, sizeof value);
    const int size = static_cast<int>(bytes_.size());
    if (SSL_write(ssl_.get(), bytes_.data(), size) != size) give_up("TLS did not take a message");
  }
  double receive() override {
    for (std::size_t have = 0; have < bytes_.size();) {
      const int count = SSL_read(ssl_.get(), bytes_.data() + have, static_cast<int>(bytes_.size() - have));
      if (count <= 0) give_up("TLS did not give a message");
      have += static_cast<std::size_t>(count);
    }
    double value = 0.0;
    std::memcpy(&value, bytes_.data(), sizeof value);
    return value;
  }

 private:
  Descriptor socket_;
  std::vector<std::byte> bytes_;
  tieline::secure::OwnedContext context_{};
  tieline::secure::OwnedSsl ssl_{};
};

Exchange tls_floor(std::size_t lines) {
  const auto ends = tcp_pair();
  const auto known = identities();
  const auto side = [=](std::size_t index) {
    return [=] {
      return std::make_unique<RawTlsTalker>(std::move(*ends[index]), known[index], index == 0, Message(lines).bytes());
    };
  };
  return {side(0), side(1)};
}

Exchange tls(std::size_t lines) {
  using namespace tieline::secure;
  const auto ends = tcp_pair();
  const auto known = identities();
  const auto number = must(Token::random());
  const auto side = [=](std::size_t index) {
    return [=] {
      auto inner = must(SocketStream::adopt(std::move(*ends[index]), {.notices_breaks = true}));
      auto secured = must(TlsStream::make(must(TlsContext::make(known[index])), std::move(inner),
                                          index == 0 ? TlsStream::Side::connects : TlsStream::Side::accepts));
      if (auto open = secured->complete_handshake(Until::in(kPatience)); !open) give_up(open.error().message);
      auto stream = std::make_unique<LastingStream>(std::move(secured), std::make_shared<Meeting>(number), nullptr,
                                                    std::make_shared<Caretaker>(), LastingOptions{});
      return std::make_unique<StreamTalker>(std::move(stream), lines, WaiterOptions{});
    };
  };
  return {side(0), side(1)};
}

/// Keeps this process on one core, so that two who spin do not share one.
void stay_on(unsigned core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  (void)sched_setaffinity(0, sizeof cores, &cores);
}

/// Starts a process that answers each value with one more.
pid_t start_echo(const Exchange& exchange, int rounds, bool is_pinned) {
  const pid_t child = fork();
  if (child != 0) return child;
  if (is_pinned) stay_on(1);
  const auto talker = exchange.second();
  for (int i = 0; i < rounds; ++i) talker->send(talker->receive() + 1.0);
  std::_Exit(0);
}

/// Sends values and expects each back, one more.
void drive(Talker& talker, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    talker.send(2.0 * i);
    if (talker.receive() != 2.0 * i + 1.0) give_up("a wrong answer came");
  }
}

void expect_success(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) give_up("a partner failed");
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Seconds for a round trip of one pair of processes; the driver is a process of its own too, which reports by a pipe.
double time_pair(const Exchange& exchange, int rounds, bool is_pinned) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) give_up("no pipe");
  const pid_t echo = start_echo(exchange, rounds + rounds / 10, is_pinned);
  const pid_t driver = fork();
  if (driver == 0) {
    if (is_pinned) stay_on(0);
    const auto talker = exchange.first();
    drive(*talker, rounds / 10);
    const auto begin = Clock::now();
    drive(*talker, rounds);
    const double seconds = seconds_since(begin) / rounds;
    std::_Exit(write(ends[1], &seconds, sizeof seconds) == sizeof seconds ? 0 : 1);
  }
  double seconds = 0.0;
  close(ends[1]);
  if (read(ends[0], &seconds, sizeof seconds) != sizeof seconds) give_up("a driver failed");
  close(ends[0]);
  expect_success(driver);
  expect_success(echo);
  return seconds;
}

/// Seconds for a round trip of each of several pairs at once.
double time_pairs(const std::function<Exchange()>& make, int rounds) {
  std::vector<pid_t> children;
  std::array<int, 2> start{};
  if (pipe(start.data()) != 0) give_up("no pipe");
  for (int i = 0; i < kPairs; ++i) {
    const Exchange exchange = make();
    children.push_back(start_echo(exchange, rounds, false));
    children.push_back(fork());
    if (children.back() == 0) {
      char byte = 0;
      const auto talker = exchange.first();
      if (read(start[0], &byte, 1) != 1) give_up("no start");
      drive(*talker, rounds);
      std::_Exit(0);
    }
  }
  const auto begin = Clock::now();
  const std::array<char, kPairs> bytes{};
  if (write(start[1], bytes.data(), bytes.size()) != kPairs) give_up("no start");
  for (const pid_t child : children) expect_success(child);
  close(start[0]);
  close(start[1]);
  return seconds_since(begin) / rounds;
}

/// Fastest and median of the repetitions [s].
struct Times {
  double least = 0.0, median = 0.0;
};

/// Measures alternatives in turns, so that whatever else the machine does meets all of them.
std::vector<Times> measure(const std::vector<std::function<double()>>& alternatives) {
  std::vector<std::vector<double>> seconds(alternatives.size());
  for (int i = 0; i < kRepeats; ++i) {
    for (std::size_t k = 0; k < alternatives.size(); ++k) seconds[k].push_back(alternatives[k]());
  }
  std::vector<Times> times;
  for (auto& each : seconds) {
    std::sort(each.begin(), each.end());
    times.push_back({each.front(), each[each.size() / 2]});
  }
  return times;
}

void print_row(const char* name, Times times, Times floor, const char* floor_name) {
  fmt::print("{:>28} {:>10.3f} {:>10.3f} {:>12.0f} {:>8.2f} x {}\n", name, 1e6 * times.least, 1e6 * times.median,
             1.0 / times.median, times.median / floor.median, floor_name);
  if (*name == '\0' || *floor_name == '\0') return;
  tieline::bench::add_row(fmt::format("round trip, {}, to {}", name, floor_name),
                          {1e9 * times.least, 1e9 * times.median}, {1e9 * floor.least, 1e9 * floor.median});
}

void one_pair() {
  constexpr int fast = 10'000, slow = 1000;
  constexpr std::chrono::nanoseconds spin = 1ms;
  const bool has_two_cores = sysconf(_SC_NPROCESSORS_ONLN) > 1;
  const auto pair = [=](auto make, int rounds) { return [=] { return time_pair(make(), rounds, has_two_cores); }; };
  const auto times = measure({
      pair([] { return shared_floor(1, 1); }, fast),
      pair([] { return shared_floor(1, kDefaultRingCapacity); }, fast),
      pair([] { return shared_floor(10, kDefaultRingCapacity); }, fast),
      pair([=] { return shared(1, spin); }, fast),
      pair([=] { return shared(10, spin); }, fast),
      pair([] { return tcp_floor(1); }, slow),
      pair([] { return tcp(1); }, slow),
      pair([] { return tcp(10); }, slow),
      pair([] { return tls_floor(1); }, slow),
      pair([] { return tls(1); }, slow),
      pair([] { return tls(10); }, slow),
  });
  print_row("shared floor", times[0], times[0], "");
  print_row("ring floor", times[1], times[0], "shared floor");
  print_row("ring floor, ten lines", times[2], times[1], "one line");
  print_row("shared", times[3], times[0], "shared floor");
  print_row("", times[3], times[1], "ring floor");
  print_row("shared, ten lines", times[4], times[3], "one line");
  print_row("", times[4], times[2], "ring floor, ten lines");
  print_row("TCP floor", times[5], times[5], "");
  print_row("TCP", times[6], times[5], "TCP floor");
  print_row("TCP, ten lines", times[7], times[6], "one line");
  print_row("TLS floor", times[8], times[5], "TCP floor");
  print_row("TLS", times[9], times[8], "TLS floor");
  print_row("", times[9], times[6], "TCP");
  print_row("TLS, ten lines", times[10], times[9], "one line");
}

void many_pairs() {
  constexpr int rounds = 500;
  const auto times = measure({
      [] { return time_pairs([] { return tcp_floor(1); }, rounds); },
      [] { return time_pairs([] { return shared(1, 0ns); }, rounds); },
      [] { return time_pairs([] { return tcp(1); }, rounds); },
  });
  print_row("8 pairs, TCP floor", times[0], times[0], "");
  print_row("8 pairs, shared, no spin", times[1], times[0], "8 pairs, TCP floor");
  print_row("8 pairs, TCP", times[2], times[0], "8 pairs, TCP floor");
}

}  // namespace

/// Two masses on one line, or on ten that are together as stiff, each in a process of its own: windows of one of them a
/// second, beside one process.
void two_masses() {
  using tieline::ProcessOptions;
  using tieline::bench::Times;
  const std::string file = fmt::format("/tmp/tieline-bench-{}.xml", ::getpid());
  const auto write = [&](int lines) {
    std::string connections, interfaces;
    for (int i = 0; i < lines; ++i) {
      interfaces += fmt::format("<Interface name=\"p{}\" node=\"body\"/>", i);
      connections += fmt::format(
          "<Connection name=\"c{0}\" from=\"a.p{0}\" to=\"b.p{0}\" coupling=\"line\" stiffness=\"{1:.17g}\" "
          "delay=\"1e-4\"/>",
          i, 1e6 / lines);
    }
    std::ofstream out(file);
    out << "<CompositeModel name=\"pair\"><Components>";
    for (const char* name : {"a", "b"}) {
      out << fmt::format(
          "<Component name=\"{}\" kind=\"network\" solver=\"dopri5\"><Network><Mass name=\"body\" mass=\"1\" "
          "velocity=\"{}\"/>{}</Network></Component>",
          name, *name == 'a' ? 1 : 0, interfaces);
    }
    out << "</Components><Connections>" << connections << "</Connections><Simulation stop=\"1\"/></CompositeModel>";
  };
  constexpr double kWindows = 2e4;  // of each mass, in one simulated second
  const auto window = [&](const ProcessOptions& options) {
    std::vector<double> seconds;
    for (int repeat = 0; repeat < 3; ++repeat) {
      auto simulation = tieline::Simulation::load(file);
      simulation.use_processes(options);
      simulation.advance_to(0.01);  // processes are started and joined
      const auto begin = std::chrono::steady_clock::now();
      simulation.advance_to(1.0, {.threads = 1});
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      simulation.finish();
    }
    return tieline::bench::times_of(seconds, 1e9 / (0.99 * kWindows));
  };
  fmt::print("\n{:>28} {:>14} {:>14} {:>8}\n", "two masses isolated", "windows/s", "us per window", "ratio");
  for (const int lines : {1, 10}) {
    write(lines);
    const Times alone = window({});
    const auto show = [&](const std::string& name, const Times& value) {
      fmt::print("{:>28} {:>14.0f} {:>14.2f} {:>8.2f}\n", fmt::format("{}, {} lines", name, lines), 1e9 / value.least,
                 1e-3 * value.least, value.least / alone.least);
      std::fflush(stdout);
    };
    const auto compare = [&](const std::string& name, const ProcessOptions& options) {
      const Times value = window(options);
      show(name, value);
      tieline::bench::add_row(fmt::format("window of two masses, {} lines, {}, to one process", lines, name), value,
                              alone);
    };
    show("one process", alone);
    compare("shared memory", {.isolate = true, .transport = "shared_memory"});
    compare("TCP", {.isolate = true, .transport = "tcp"});
    compare("shared memory, routed", {.isolate = true, .transport = "shared_memory", .routing = "master"});
    compare("TCP, routed", {.isolate = true, .transport = "tcp", .routing = "master"});
  }
  std::remove(file.c_str());
}

int main() {
  fmt::print("{} bytes for one line, {} for ten\n", Message(1).bytes(), Message(10).bytes());
  fmt::print("{:>28} {:>10} {:>10} {:>12} {:>8}\n", "round trip", "us least", "us median", "per second", "ratio");
  std::fflush(stdout);
  one_pair();
  many_pairs();
  two_masses();
  return 0;
}
