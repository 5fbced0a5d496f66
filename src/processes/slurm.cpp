#include "processes/slurm.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <netdb.h>
#include <sstream>
#include <unistd.h>

#include "archive/temporary_folder.hpp"
#include "core/descriptor.hpp"
#include "core/system_reason.hpp"
#include "participant/child_process.hpp"
#include "processes/host_start.hpp"

namespace tieline::processes::slurm {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Programs of Slurm answer at once, or their controller is gone.
constexpr std::chrono::seconds kAnswerTime{60};
constexpr std::size_t kMostOfOutput = 400;
constexpr int kUsualArray = 1000;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Error cannot(const std::string& what) { return {.code = ErrorCode::input_output, .message = what}; }

/// What a program of Slurm prints.
Result<std::string> ask(std::vector<std::string> command) {
  const std::string name = command.front();
  auto folder = archive::TemporaryFolder::make("tieline", "for the answer of Slurm");
  if (!folder) return folder.error();
  const auto file = folder->path() / "answer";
  auto child = participant::ChildProcess::start({.command = std::move(command), .log = file});
  if (!child) {
    child.error().message = fmt::format("Slurm is not installed here, or not in PATH: {}", child.error().message);
    return child.error();
  }
  const auto end = child->wait_for(kAnswerTime);
  if (!end) return cannot(fmt::format("{} does not answer within {} s", name, kAnswerTime.count()));
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (end->exit_code == 0) return text;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.size() > kMostOfOutput) text = "... " + text.substr(text.size() - kMostOfOutput);
  return cannot(fmt::format("{} {}{}{}", name, end->describe(), text.empty() ? "" : ": ", text));
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// "Name=value Name=value ..." of one line; values with blanks lose what follows the first.
std::map<std::string, std::string> fields_of(const std::string& line) {
  std::map<std::string, std::string> fields;
  for (const std::string& word : words_of(line)) {
    if (const auto sign = word.find('='); sign != std::string::npos) {
      fields.emplace(word.substr(0, sign), word.substr(sign + 1));
    }
  }
  return fields;
}

std::string numeric(const sockaddr_storage& address, socklen_t size) {
  std::array<char, NI_MAXHOST> text{};
  const auto* const plain = reinterpret_cast<const sockaddr*>(&address);
  if (::getnameinfo(plain, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "";
  return text.data();
}

/// The numeric form of a node's address, and the address of this machine on the way to it.
Result<std::pair<std::string, std::string>> addresses_towards(const std::string& node) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int failure = ::getaddrinfo(node.c_str(), "9", &wanted, &found); failure != 0) {
    return cannot(fmt::format("the address of node '{}' is not known: {}", node, ::gai_strerror(failure)));
  }
  sockaddr_storage there{}, own{};
  const socklen_t size = found->ai_addrlen;
  std::copy_n(reinterpret_cast<const char*>(found->ai_addr), size, reinterpret_cast<char*>(&there));
  ::freeaddrinfo(found);
  // Nothing is sent: a datagram socket that is connected knows its own address.
  const core::Descriptor socket(::socket(there.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  socklen_t own_size = sizeof own;
  if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&there), size) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &own_size) != 0) {
    return cannot(fmt::format("there is no way to node '{}': {}", node, core::system_reason(errno)));
  }
  return std::pair{numeric(there, size), numeric(own, own_size)};
}

}  // namespace

std::optional<Allocation> allocation() {
  Allocation result{.job = variable("SLURM_JOB_ID"),
                    .list = variable("SLURM_JOB_NODELIST"),
                    .cores = variable("SLURM_JOB_CPUS_PER_NODE"),
                    .own_node = variable("SLURMD_NODENAME"),
                    .restarts = std::atoi(variable("SLURM_RESTART_COUNT").c_str())};
  if (result.job.empty() || result.list.empty()) return std::nullopt;
  result.is_batch = !result.own_node.empty() && variable("SLURM_JOB_NAME") != "interactive";
  return result;
}

std::vector<int> cores_of_nodes(const std::string& text, std::size_t nodes) {
  std::vector<int> cores;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',') && cores.size() < nodes;) {
    const int each = std::atoi(part.c_str());
    const auto times = part.find("(x");
    const int count = times == std::string::npos ? 1 : std::atoi(part.c_str() + times + 2);
    for (int i = 0; i < count && cores.size() < nodes; ++i) cores.push_back(std::max(1, each));
  }
  cores.resize(nodes, 1);
  return cores;
}

Result<void> use_allocation(const Allocation& allocation, model::Site& site) {
  const auto names = ask({"scontrol", "show", "hostnames", allocation.list});
  if (!names) return names.error();
  const auto nodes = words_of(*names);
  if (nodes.empty()) return cannot(fmt::format("job {} has no nodes", allocation.job));
  const auto lines = ask({"scontrol", "--oneliner", "show", "node", allocation.list});
  if (!lines) return lines.error();
  std::map<std::string, std::string> addresses;
  std::istringstream in(*lines);
  for (std::string line; std::getline(in, line);) {
    const auto fields = fields_of(line);
    if (const auto name = fields.find("NodeName"), address = fields.find("NodeAddr");
        name != fields.end() && address != fields.end()) {
      addresses[name->second] = address->second;
    }
  }
  model::Host here{.name = std::string(model::kHere), .start = model::HostStart::here};
  if (const model::Host* const stated = site.find_host(model::kHere)) here = *stated;
  std::vector<model::Host> hosts;
  const auto cores = cores_of_nodes(allocation.cores, nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto found = addresses.find(nodes[i]);
    const auto ways = addresses_towards(found == addresses.end() ? nodes[i] : found->second);
    if (!ways) return ways.error();
    const bool is_own = nodes[i] == allocation.own_node;
    if (is_own || here.addresses.empty()) here.addresses = {is_own ? ways->first : ways->second};
    if (is_own) {
      here.cores = cores[i];
      continue;  // this process and its threads compute what is placed here
    }
    // What the site file says of this node counts, beside its address and its cores.
    model::Host host{.name = nodes[i], .work_folder = ".cache/tieline"};
    if (const model::Host* const stated = site.find_host(nodes[i])) host = *stated;
    host.start = model::HostStart::slurm;
    host.addresses = {ways->first};
    host.cores = cores[i];
    hosts.push_back(std::move(host));
  }
  hosts.insert(hosts.begin(), std::move(here));
  site.hosts = std::move(hosts);
  return {};
}

Result<std::vector<std::string>> start_command(const model::Host& host, const std::string& program,
                                               const std::filesystem::path& letter) {
  const auto present = allocation();
  if (!present) {
    return Error{.code = ErrorCode::unsupported,
                 .message = fmt::format("host '{}' is a node of Slurm, and this process has no allocation of nodes: "
                                        "use `--on slurm`, or start it within `salloc`",
                                        host.name)};
  }
  return std::vector<std::string>{"srun",
                                  "--jobid=" + present->job,
                                  "--nodes=1",
                                  "--ntasks=1",
                                  "--nodelist=" + host.name,
                                  "--overlap",
                                  "--mem=0",
                                  "--cpu-bind=none",
                                  "--mpi=none",
                                  "--input=none",
                                  "--quiet",
                                  "env",
                                  std::string("TIELINE_LETTER=") + letter.string(),
                                  program,
                                  "runner"};
}

Result<std::string> submit(const Job& job) {
  std::ofstream out(job.file);
  out << "#!/bin/sh\n" << job.script;
  out.close();
  if (!out) return cannot(fmt::format("cannot write '{}'", job.file.string()));
  std::vector<std::string> command{"sbatch", "--parsable", "--requeue", "--open-mode=append", "--job-name=" + job.name};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) command.push_back(option + value);
  };
  add("--output=", job.log.string());
  add("--partition=", job.wants.partition);
  add("--account=", job.wants.account);
  add("--time=", job.wants.time);
  if (job.wants.nodes > 0) add("--nodes=", std::to_string(job.wants.nodes));
  if (job.has_whole_nodes) command.emplace_back("--exclusive");
  if (job.cores_per_task > 0) add("--cpus-per-task=", std::to_string(job.cores_per_task));
  if (job.array > 0) {
    add("--array=", fmt::format("0-{}", job.array - 1) + (job.at_once > 0 ? fmt::format("%{}", job.at_once) : ""));
  }
  command.push_back(job.file.string());
  const auto answer = ask(std::move(command));
  if (!answer) return answer.error();
  // "17", or "17;cluster"; warnings may stand before it.
  for (const std::string& word : words_of(*answer)) {
    const std::string number = word.substr(0, word.find(';'));
    if (!number.empty() && number.find_first_not_of("0123456789") == std::string::npos) return number;
  }
  return cannot(fmt::format("sbatch has not said the number of the job: {}", *answer));
}

bool JobState::has_ended() const {
  static constexpr std::array<std::string_view, 12> kGoing{
      "PENDING",      "CONFIGURING",  "RUNNING",       "SUSPENDED", "COMPLETING", "REQUEUED",
      "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD", "RESIZING",  "SIGNALING",  "STAGE_OUT"};
  return std::find(kGoing.begin(), kGoing.end(), state) == kGoing.end();
}

std::optional<JobState> read_states(const std::string& text) {
  std::optional<JobState> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const auto fields = fields_of(line);
    const auto state = fields.find("JobState");
    if (state == fields.end()) continue;
    const auto get = [&](const char* name) {
      const auto found = fields.find(name);
      return found == fields.end() ? std::string() : found->second;
    };
    JobState one{.state = state->second,
                 .reason = get("Reason"),
                 .exit_code = std::atoi(get("ExitCode").c_str()),
                 .restarts = std::atoi(get("Restarts").c_str())};
    // A task that has not ended says most, then one that has not ended well.
    const auto rank = [](const JobState& each) { return each.has_ended() ? (each.state == "COMPLETED" ? 0 : 1) : 2; };
    if (!result || rank(one) > rank(*result)) result = std::move(one);
  }
  return result;
}

Result<std::optional<JobState>> look_at(const std::string& job) {
  const auto answer = ask({"scontrol", "--oneliner", "show", "job", job});
  if (answer) return read_states(*answer);
  // It forgets jobs some minutes after their end.
  if (answer.error().message.find("Invalid job id") != std::string::npos) return std::optional<JobState>();
  return answer.error();
}

Result<void> cancel(const std::string& job) {
  const auto answer = ask({"scancel", job});
  if (!answer) return answer.error();
  return {};
}

Result<void> requeue(const std::string& job) {
  const auto answer = ask({"scontrol", "requeue", job});
  if (!answer) return answer.error();
  return {};
}

int largest_array() {
  const auto answer = ask({"scontrol", "show", "config"});
  if (!answer) return kUsualArray;
  const auto words = words_of(*answer);
  const auto found = std::find(words.begin(), words.end(), "MaxArraySize");
  if (found == words.end() || words.end() - found < 3) return kUsualArray;
  // Tasks have numbers below it.
  return std::max(1, std::atoi(std::next(found, 2)->c_str()) - 1);
}

}  // namespace tieline::processes::slurm
