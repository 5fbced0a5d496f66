#include "processes/site_check.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <mutex>
#include <thread>

#include "archive/temporary_folder.hpp"
#include "core/command_line.hpp"
#include "core/installation.hpp"
#include "participant/fleet.hpp"
#include "processes/host_start.hpp"
#include "processes/letter.hpp"
#include "processes/runner_invitee.hpp"
#include "processes/site_questions.hpp"
#include "secure/identity.hpp"
#include "transport/link_setup.hpp"

namespace tieline::processes {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using transport::Message;
using transport::Until;

constexpr int kRoundTrips = 20;
constexpr std::chrono::seconds kAnswerTime{20};
constexpr double kFarClock = 60.0;         // [s] beyond which a clock is worth a word
constexpr double kLeastSpace = 100e6;      // [bytes]
constexpr double kUsualMemoryPart = 1.05;  // what is stated may be rounded up a little

/// The first word of a tool's command; empty if it has none.
std::string program_of(const model::Tool& tool) {
  const auto words = core::split_command(tool.command);
  return words && !words->empty() ? words->front() : std::string();
}

/// The tools that models may use on a host: its own, and those of all that are not replaced.
std::vector<ToolCondition> tools_of(const model::Site& site, const model::Host& host) {
  std::vector<ToolCondition> tools;
  for (const model::Tool& tool : host.tools) tools.push_back({.name = tool.name, .program = program_of(tool)});
  for (const model::Tool& tool : site.tools) {
    if (host.find(tool.name) == nullptr) tools.push_back({.name = tool.name, .program = program_of(tool)});
  }
  return tools;
}

/// The hosts of a site, while they are asked.
class SiteCheck {
 public:
  SiteCheck(const model::Site& site, const SiteCheckOptions& options) : site_(site), options_(options) {}

  Result<std::vector<HostCondition>> run() {
    const model::Host* const own = site_.find_host(model::kHere);
    const bool has_others = std::any_of(site_.hosts.begin(), site_.hosts.end(),
                                        [](const model::Host& host) { return host.name != model::kHere; });
    if (has_others && (own == nullptr || own->addresses.empty())) {
      return core::bad_input(
          fmt::format("hosts must reach this machine: describe it by <Host name=\"{}\" "
                      "address=\"...\"/> in {}",
                      model::kHere, site_.file.string()));
    }
    auto folder = archive::TemporaryFolder::make("tieline", "for the letters of the check");
    if (!folder) return folder.error();
    folder_ = folder->path();
    own_loop_ = loop_seconds();
    conditions_.push_back(condition_here(own));
    if (has_others) {
      if (auto joined = join(*own); !joined) {
        conditions_.front().problem = joined.error().message;
        conditions_.front().is_reached = false;
        return conditions_;
      }
    }
    std::vector<const model::Host*> others;
    for (const model::Host& host : site_.hosts) {
      if (host.name != model::kHere) others.push_back(&host);
    }
    for (const model::Host* host : others) conditions_.push_back(first_condition(*host));
    if (others.empty()) return conditions_;
    all_.emplace(static_cast<std::ptrdiff_t>(others.size()));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < others.size(); ++i) {
      threads.emplace_back([this, i, host = others[i]] { try_host(i, *host, conditions_[i + 1]); });
    }
    for (std::thread& thread : threads) thread.join();
    return conditions_;
  }

 private:
  [[nodiscard]] HostCondition first_condition(const model::Host& host) const {
    return {.name = host.name,
            .start = std::string(model::name_of(host.start)),
            .address = host.addresses.empty() ? "" : host.addresses.front(),
            .tools = tools_of(site_, host)};
  }

  HostCondition condition_here(const model::Host* own) {
    const MachineFacts facts = machine_facts(".");
    HostCondition condition = first_condition(
        own != nullptr ? *own : model::Host{.name = std::string(model::kHere), .start = model::HostStart::here});
    condition.is_tried = condition.is_reached = true;
    condition.version = facts.version;
    condition.cores = facts.cores;
    condition.memory = facts.memory;
    condition.free_space = facts.free_space;
    condition.speed = 1.0;
    for (ToolCondition& tool : condition.tools) tool.is_found = is_program(path_here(tool.program));
    if (own != nullptr) compare(*own, condition);
    return condition;
  }
  /// A program with a '/' is relative to the site file.
  [[nodiscard]] std::string path_here(const std::string& program) const {
    if (program.find('/') == std::string::npos) return program;
    return (site_.file.parent_path() / program).string();
  }

  Result<void> join(const model::Host& own) {
    auto authority = secure::Authority::make();
    if (!authority) return authority.error();
    authority_.emplace(std::move(*authority));
    const auto card = card_for(own);
    if (!card) return card.error();
    auto network = Network::join(*card);
    if (!network) return network.error();
    network_ = std::move(*network);
    // As a run would: an address that this machine does not have is noticed here.
    auto door = network_->between_hosts()->open_door();
    if (!door) return door.error();
    return {};
  }

  Result<NetworkCard> card_for(const model::Host& host) {
    const std::lock_guard lock(mutex_);
    auto identity = authority_->issue();
    if (!identity) return std::move(identity.error());
    return NetworkCard{.identity = std::move(*identity),
                       .outside = {.address = host.addresses.front(),
                                   .door = {.address = host.listening_address(),
                                            .first_port = host.ports.first,
                                            .last_port = host.ports.last}}};
  }

  /// All hosts wait for one another twice; those that cannot be asked are not waited for.
  class Meeting {
   public:
    explicit Meeting(std::barrier<>& all) : all_(all) {}
    Meeting(const Meeting&) = delete;
    ~Meeting() { all_.arrive_and_drop(); }
    void wait() { all_.arrive_and_wait(); }

   private:
    std::barrier<>& all_;
  };

  void try_host(std::size_t index, const model::Host& host, HostCondition& condition) {
    Meeting meeting(*all_);
    if (host.start == model::HostStart::awaited) {
      condition.problem = "not tried: its owner starts processes there";
      return;
    }
    if (host.addresses.empty()) return;
    condition.is_tried = true;
    if (auto asked = ask_host(index, host, condition, meeting); !asked) {
      condition.problem = asked.error().message;
      condition.is_reached = false;
      return;
    }
    condition.is_reached = true;
    compare(host, condition);
  }

  Result<void> ask_host(std::size_t index, const model::Host& host, HostCondition& condition, Meeting& meeting) {
    if (auto way = start_on(host, {}, {}); !way) return way.error();
    const auto card = card_for(host);
    if (!card) return card.error();
    const auto file = folder_ / fmt::format("{}.letter", index);
    Letter letter{.component = host.name, .card = card->text(), .work_folder = host.work_folder};
    for (const auto& variable : host.environment) letter.environment.emplace_back(variable.name, variable.value);
    letter.environment.emplace_back(kProbeVariable, "1");
    participant::Invitee invitee{.name = host.name,
                                 .start_deadline = options_.deadline,
                                 .streams = network_->between_hosts(),
                                 .host = host.name};
    invitee.arrange = [&, log = folder_ / fmt::format("{}.log", index)](
                          const std::string& address,
                          const transport::Token& token) mutable -> Result<participant::Launch> {
      letter.master = address;
      letter.token = token;
      if (auto written = write_letter(file, letter, {}); !written) return written.error();
      auto launch = start_on(host, runner_program(options_.runner), file);
      if (launch) launch->log = log;
      return launch;
    };
    std::vector<participant::Invitee> invitees;
    invitees.push_back(std::move(invitee));
    participant::FleetSettings settings{
        .on_note = [&](const std::string& line) { condition.warnings.push_back(line); }};
    auto fleet = participant::Fleet::launch(std::move(settings), std::move(invitees));
    if (!fleet) return fleet.error();
    if (auto come = (*fleet)->await_registrations(options_.cancel); !come) return come.error();
    auto asked = interview(**fleet, condition);
    if (!asked) return asked;
    {
      const std::lock_guard lock(mutex_);
      doors_.emplace_back(condition.name, (*fleet)->registration(0).endpoint);
    }
    meeting.wait();  // nobody writes to the list any more
    asked = try_links(**fleet, condition);
    meeting.wait();
    if (asked) (void)(*fleet)->dismiss();
    return asked;
  }

  /// One question and its answer; how long it took is put into `taken` [s].
  Result<std::vector<std::byte>> ask(participant::Fleet& fleet, Question question, const std::string& about,
                                     double* taken = nullptr) {
    const auto before = std::chrono::steady_clock::now();
    const std::string text = static_cast<char>(question) + about;
    auto sent = fleet.send(0, Message::start, [&](transport::Encoder encoder) { encoder.text(text); });
    if (!sent) return sent.error();
    auto answer = fleet.await(0, Message::started, Until::in(kAnswerTime, options_.cancel));
    if (!answer) return answer.error();
    if (taken != nullptr) {
      *taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    }
    return std::move(answer->payload);
  }

  Result<void> interview(participant::Fleet& fleet, HostCondition& condition) {
    const Error unreadable{.code = ErrorCode::protocol, .message = "sent an answer that cannot be read"};
    condition.round_trip = 1e9;
    for (int i = 0; i < kRoundTrips; ++i) {
      double taken = 0.0;
      const double before = wall_time();
      const auto answer = ask(fleet, Question::time, "", &taken);
      if (!answer) return answer.error();
      transport::Decoder decoder(*answer);
      const double there = decoder.f64();
      if (!decoder.is_complete()) return unreadable;
      if (taken >= condition.round_trip) continue;
      condition.round_trip = taken;
      condition.clock_offset = there - (before + taken / 2.0);
    }
    const auto machine = ask(fleet, Question::machine, "");
    if (!machine) return machine.error();
    transport::Decoder decoder(*machine);
    condition.version = std::string(decoder.text());
    condition.cores = static_cast<int>(decoder.u32());
    condition.memory = decoder.f64();
    condition.free_space = decoder.f64();
    if (!decoder.is_complete()) return unreadable;
    const auto loop = ask(fleet, Question::speed, "");
    if (!loop) return loop.error();
    transport::Decoder seconds(*loop);
    condition.speed = own_loop_ / std::max(1e-9, seconds.f64());
    for (ToolCondition& tool : condition.tools) {
      if (tool.program.empty()) continue;
      const auto found = ask(fleet, Question::program, tool.program);
      if (!found) return found.error();
      transport::Decoder one(*found);
      tool.is_found = one.boolean();
    }
    return {};
  }

  /// Where partners would connect: this machine to it, and it to all others. All are there until all have tried.
  Result<void> try_links(participant::Fleet& fleet, HostCondition& condition) {
    const std::string& endpoint = fleet.registration(0).endpoint;
    if (auto reached = try_address(endpoint); !reached) {
      condition.warnings.push_back(
          fmt::format("this machine {}: set `routing=\"master\"`, or open its `ports`", reached.error().message));
    }
    for (const auto& [name, address] : doors_) {
      if (name == condition.name) continue;
      const auto answer = ask(fleet, Question::reach, address);
      if (!answer) return answer.error();
      transport::Decoder decoder(*answer);
      const std::string why(decoder.text());
      if (why.empty()) continue;
      condition.warnings.push_back(
          fmt::format("it does not reach host '{}' ({}): links between them need `routing=\"master\"`", name, why));
    }
    return {};
  }

  /// What the host has, beside what the site file says of it.
  static void compare(const model::Host& host, HostCondition& condition) {
    const auto warn = [&](std::string text) { condition.warnings.push_back(std::move(text)); };
    if (condition.version != core::version()) {
      warn(fmt::format("it has version {} of tieline, and this machine has {}", condition.version, core::version()));
    }
    if (host.cores > condition.cores) {
      warn(fmt::format("the site file states {} cores, and it has {}", host.cores, condition.cores));
    }
    if (host.memory > condition.memory * kUsualMemoryPart) {
      warn(fmt::format("the site file states {:.3g} GB of memory, and it has {:.3g} GB", host.memory / 1e9,
                       condition.memory / 1e9));
    }
    if (std::abs(condition.clock_offset) > kFarClock) {
      warn(fmt::format("its clock differs by {:.0f} s; certificates of a run bear a day", condition.clock_offset));
    }
    if (condition.free_space > 0.0 && condition.free_space < kLeastSpace) {
      warn(fmt::format("only {:.3g} MB are free in its work folder", condition.free_space / 1e6));
    }
    for (const ToolCondition& tool : condition.tools) {
      if (tool.program.empty() || tool.is_found || host.find(tool.name) == nullptr) continue;
      warn(fmt::format("tool '{}': there is no program '{}'", tool.name, tool.program));
    }
  }

  const model::Site& site_;
  const SiteCheckOptions& options_;
  std::filesystem::path folder_;
  std::optional<secure::Authority> authority_{};
  std::unique_ptr<Network> network_{};
  double own_loop_ = 1.0;  ///< [s]
  std::vector<HostCondition> conditions_;
  std::optional<std::barrier<>> all_{};                     ///< hosts that are asked
  std::mutex mutex_;                                        ///< guards what threads share
  std::vector<std::pair<std::string, std::string>> doors_;  ///< of hosts that have come
};

}  // namespace

Result<std::vector<HostCondition>> check_site(const model::Site& site, const SiteCheckOptions& options) {
  return SiteCheck(site, options).run();
}

}  // namespace tieline::processes
