// The process on a host that `tieline site check` asks.

#include <arpa/inet.h>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "core/descriptor.hpp"
#include "core/installation.hpp"
#include "core/system_reason.hpp"
#include "processes/site_check.hpp"
#include "processes/site_questions.hpp"
#include "transport/link_setup.hpp"

namespace tieline::processes {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using transport::Message;

constexpr int kReachMilliseconds = 5000;
constexpr int kLoops = 5;
constexpr int kLoopSteps = 2'000'000;

Error unreachable(const std::string& address, const std::string& why) {
  return {.code = ErrorCode::peer_lost, .message = fmt::format("cannot connect to {}: {}", address, why)};
}

}  // namespace

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

double loop_seconds() {
  double least = 1e9;
  volatile double start = 0.3;
  for (int i = 0; i < kLoops; ++i) {
    const auto before = std::chrono::steady_clock::now();
    // Depends on each result before: no faster with wide registers, as steps of small models are not.
    double x = start, y = 0.1;
    for (int k = 0; k < kLoopSteps; ++k) {
      const double next = 1.0 - 1.4 * x * x + y;
      y = 0.3 * x;
      x = next;
    }
    start = std::isfinite(x) ? 0.3 : 0.31;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - before;
    least = std::min(least, taken.count());
  }
  return least;
}

bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0;
  const char* const path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t colon = std::min(folders.find(':', at), folders.size());
    const auto file = std::filesystem::path(folders.substr(at, colon - at)) / name;
    std::error_code failure;
    if (std::filesystem::is_regular_file(file, failure) && ::access(file.c_str(), X_OK) == 0) return true;
    at = colon + 1;
  }
  return false;
}

MachineFacts machine_facts(const std::filesystem::path& folder) {
  MachineFacts facts{.version = std::string(core::version()),
                     .cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))};
  facts.memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  std::error_code failure;
  const auto space = std::filesystem::space(folder, failure);
  if (!failure) facts.free_space = static_cast<double>(space.available);
  return facts;
}

Result<void> try_address(const std::string& address) {
  const auto scheme = address.find(':'), port = address.rfind(':');
  if (scheme == port) return unreachable(address, "this is no address");
  std::string host = address.substr(scheme + 1, port - scheme - 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failure = ::getaddrinfo(host.c_str(), address.substr(port + 1).c_str(), &wanted, &found);
      failure != 0) {
    return unreachable(address, ::gai_strerror(failure));
  }
  const core::Descriptor socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int made = !socket ? -1 : ::connect(socket.get(), found->ai_addr, found->ai_addrlen);
  int reason = made == 0 ? 0 : errno;
  ::freeaddrinfo(found);
  if (reason == EINPROGRESS) {
    pollfd ready{socket.get(), POLLOUT, 0};
    if (::poll(&ready, 1, kReachMilliseconds) <= 0) return unreachable(address, "no answer within 5 s");
    socklen_t size = sizeof reason;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &reason, &size);
  }
  if (reason != 0) return unreachable(address, core::system_reason(reason));
  return {};
}

Result<void> answer_probe(transport::Membership& membership, const Network& network,
                          const std::filesystem::path& folder) {
  auto setup = membership.receive({});
  if (!setup) return setup.error();
  // As a runner does: where partners would connect.
  const std::string transports(network.between_hosts() != nullptr ? network.between_hosts()->name() : "");
  auto doors = transport::LinkSetup::open("a probe", transports, network.factories());
  if (!doors) return doors.error();
  const transport::Registration registration{.endpoint = doors->addresses()};
  auto sent = membership.send(Message::registered, [&](transport::Encoder encoder) { encode(encoder, registration); });
  while (sent) {
    auto message = membership.receive({});
    if (!message) return message.error();
    if (message->type == Message::leave) return {};
    transport::Decoder decoder(message->payload);
    const std::string question(decoder.text());
    if (message->type != Message::start || question.empty()) break;
    const std::string about = question.substr(1);
    sent = membership.send(Message::started, [&](transport::Encoder encoder) {
      switch (static_cast<Question>(question.front())) {
        case Question::time:
          encoder.f64(wall_time());
          break;
        case Question::machine: {
          const MachineFacts facts = machine_facts(folder);
          encoder.text(facts.version);
          encoder.u32(static_cast<std::uint32_t>(facts.cores));
          encoder.f64(facts.memory);
          encoder.f64(facts.free_space);
          break;
        }
        case Question::speed:
          encoder.f64(loop_seconds());
          break;
        case Question::program:
          encoder.boolean(is_program(about));
          break;
        case Question::reach: {
          const auto reached = try_address(about);
          encoder.text(reached ? "" : reached.error().message);
          break;
        }
      }
    });
  }
  if (!sent) return sent;
  return Error{.code = ErrorCode::protocol, .message = "the check asks what this version cannot answer"};
}

}  // namespace tieline::processes
