#include "model/host.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "document/expression.hpp"
#include "document/rules.hpp"

namespace tieline::model {
namespace {

using document::AttributeType;
using document::Diagnostics;
using document::Element;
using document::ElementRule;

// In the order of the enumeration.
constexpr std::array<std::string_view, 5> kHostStarts{"here", "ssh", "slurm", "agent", "awaited"};

/// Where a host keeps the files of runs, from the home folder of its user.
constexpr std::string_view kWorkFolder = ".cache/tieline";

/// What an address may contain: names, numbers, and the zone of an IPv6 address. Nothing of it is special to a shell,
/// and nothing at its start to a program's options.
bool is_address(std::string_view text) {
  constexpr std::string_view kSigns = ".-_:%";
  const auto is_good = [&](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return is_letter || kSigns.find(c) != std::string_view::npos;
  };
  return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), is_good);
}

bool is_login(std::string_view text) {
  const auto at = text.find('@');
  if (at == std::string_view::npos) return is_address(text);
  return is_address(text.substr(0, at)) && is_address(text.substr(at + 1));
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n,", at);
    if (begin == std::string_view::npos) break;
    at = std::min(text.find_first_of(" \t\r\n,", begin), text.size());
    words.emplace_back(text.substr(begin, at - begin));
  }
  return words;
}

/// A number of an attribute that is at least `least`; 0 where it is absent or wrong, which is reported.
double number_of(const Element& element, const char* attribute, double least, bool is_whole, Diagnostics& diagnostics) {
  if (!element.has(attribute)) return 0.0;
  const std::string text = element.get(attribute);
  const auto value = document::parse_number(text);
  const bool is_good = value && *value >= least && *value <= 1e18 && (!is_whole || *value == std::floor(*value)) &&
                       (!is_whole || *value <= 1e6);
  if (is_good) return *value;
  if (!value && text.find('{') == std::string::npos) return 0.0;  // reported by the check against the grammar
  diagnostics.error(element.place_of(attribute),
                    fmt::format("'{}' is not a {}number of at least {:g}; site files have no parameters", text,
                                is_whole ? "whole " : "", least));
  return 0.0;
}

PortRange ports_of(const Element& element, Diagnostics& diagnostics) {
  PortRange ports;
  if (!element.has("ports")) return ports;
  const std::string text = element.get("ports");
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, ports.first);
  ports.last = ports.first;
  bool is_good = first.ec == std::errc() && ports.first > 0;
  if (is_good && first.ptr != end) {
    const auto last = *first.ptr == '-' ? std::from_chars(first.ptr + 1, end, ports.last)
                                        : std::from_chars_result{first.ptr, std::errc::invalid_argument};
    is_good = last.ec == std::errc() && last.ptr == end && ports.last >= ports.first;
  }
  if (is_good) return ports;
  diagnostics.error(
      element.place_of("ports"),
      fmt::format("'{}' is not a range of ports; expected two numbers from 1 to 65535 such as 47000-47099", text));
  return {};
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; });
}

/// A path or a program there, as one word that no option can be mistaken for.
std::string path_of(const Element& element, const char* attribute, std::string_view otherwise,
                    Diagnostics& diagnostics) {
  if (!element.has(attribute)) return std::string(otherwise);
  std::string text = element.get(attribute);
  if (!text.empty() && text.front() != '-' && !has_control(text)) return text;
  diagnostics.error(element.place_of(attribute),
                    fmt::format("'{}' is not a path; expected one that does not start with '-'", text));
  return std::string(otherwise);
}

Host read_host(const Element& element, Diagnostics& diagnostics) {
  Host host{.name = element.get("name"), .declaration = element};
  const bool is_this = host.name == kHere;
  host.start = host_start_from_name(element.get("start")).value_or(is_this ? HostStart::here : HostStart::ssh);
  for (std::string& word : words_of(element.get("address"))) {
    if (is_address(word)) {
      host.addresses.push_back(std::move(word));
    } else {
      diagnostics.error(element.place_of("address"), fmt::format("'{}' is not the name or address of a host", word));
    }
  }
  host.login = element.get("login");
  if (!host.login.empty() && !is_login(host.login)) {
    diagnostics.error(element.place_of("login"),
                      fmt::format("'{}' is not a destination of ssh; expected host or user@host", host.login));
    host.login.clear();
  }
  host.listen = element.get("listen");
  if (!host.listen.empty() && !is_address(host.listen)) {
    diagnostics.error(element.place_of("listen"), fmt::format("'{}' is not an address", host.listen));
    host.listen.clear();
  }
  host.ports = ports_of(element, diagnostics);
  host.cores = static_cast<int>(number_of(element, "cores", 1.0, true, diagnostics));
  host.memory = number_of(element, "memory", 1.0, false, diagnostics);
  if (const double speed = number_of(element, "speed", 1e-6, false, diagnostics); speed > 0.0) host.speed = speed;
  host.work_folder = path_of(element, "work_folder", kWorkFolder, diagnostics);
  host.program = path_of(element, "program", is_this ? "" : "tieline", diagnostics);
  host.tools = read_tools(element, host.start != HostStart::here, diagnostics);
  host.environment = read_environment(element, diagnostics);
  if (is_this && host.start != HostStart::here) {
    diagnostics.error(element.place_of("start"),
                      fmt::format("host '{}' is the machine of the run itself; expected start=\"here\"", kHere));
  }
  if (host.name == kAnyHost) {
    diagnostics.error(element.place_of("name"),
                      fmt::format("a host cannot have the name '{}', which lets the run choose a host", kAnyHost));
  }
  if (host.addresses.empty() && !element.has("address")) {
    diagnostics.error(element.place(),
                      fmt::format("host '{}' needs the attribute 'address': how others reach it", host.name));
  }
  return host;
}

}  // namespace

std::array<std::string_view, 5> all_host_start_names() { return kHostStarts; }
std::string_view name_of(HostStart start) { return kHostStarts[static_cast<std::size_t>(start)]; }
std::optional<HostStart> host_start_from_name(std::string_view name) {
  const auto found = std::find(kHostStarts.begin(), kHostStarts.end(), name);
  if (found == kHostStarts.end()) return std::nullopt;
  return static_cast<HostStart>(found - kHostStarts.begin());
}

double read_site_number(const Element& element, const char* attribute, Diagnostics& diagnostics) {
  return number_of(element, attribute, 1.0, false, diagnostics);
}

const Tool* Host::find(std::string_view tool) const {
  const auto found = std::find_if(tools.begin(), tools.end(), [&](const Tool& each) { return each.name == tool; });
  return found == tools.end() ? nullptr : &*found;
}

std::vector<ElementRule> host_rules() {
  using document::rules::choice;
  using document::rules::number;
  using document::rules::required;
  using document::rules::text;
  return {
      {.name = "Host",
       .description = "A machine that components may be placed on. The name `here` is the machine of the run itself, "
                      "which need not be described; its address is how other hosts reach the run.",
       .attributes =
           {required(text("name", "Name, as used in `host`.")),
            text("address", "How other hosts reach it: addresses or names, separated by blanks; the first one counts."),
            choice("start",
                   "How its processes are started: by `ssh`; `here`, as processes of this machine, with addresses of "
                   "their own; through `slurm`; by an `agent` that runs there; or `awaited`: by its owner, with a file "
                   "that the run writes.",
                   {kHostStarts.begin(), kHostStarts.end()}, "ssh"),
            text("login", "For `ssh`: host or user@host.", "the first address"),
            text("listen", "Numeric address at which its processes listen for others.", "the first address"),
            text("ports", "Ports at which its processes listen, as `47000-47099`.", "any that are free"),
            number("cores", "Cores that components may use.", "not limited"),
            number("memory", "Memory that components may use [bytes].", "not limited"),
            number("speed",
                   "How fast one of its cores is, where one of `here` has 1; `tieline site check` measures it.", "1"),
            text("work_folder", "Folder for the files of runs, from the home folder of its user there.",
                 std::string(kWorkFolder)),
            text("program", "The program `tieline` there; without a `/` it is looked up in its PATH.", "tieline")},
       .children = {"Description", "Tool", "Environment"},
       .once = {"Description"}},
      {.name = "Tool",
       .description =
           "A tool that components of kind `process` use: on all hosts, or inside a `Host` on that one, where "
           "it counts before that of all.",
       .attributes = {required(text("name", "Name, as used in `tool`.")),
                      {"command",
                       AttributeType::text,
                       false,
                       "Command that starts the tool, as in `Component`; the path of a program with a `/` is relative "
                       "to this file. On other hosts it is a whole path, or looked up there in PATH.",
                       {},
                       "none: the run waits for a program that is started by other means"},
                      {"folder",
                       AttributeType::text,
                       false,
                       "Working folder, relative to this file; `{words}` in braces are replaced as in commands.",
                       {},
                       "folder of the model file"},
                      number("licences", "How many components may use it at once.", "not limited")},
       .children = {"Description", "Environment"},
       .once = {"Description"}},
      {.name = "Slurm",
       .description = "What `--on slurm` asks the batch system for.",
       .attributes = {text("partition", "Partition of the nodes.", "that of the cluster"),
                      text("account", "Account that is charged.", "that of the user"),
                      text("time", "Longest time of a run, as Slurm writes it: `30`, `2:00:00` or `1-12:00`.",
                           "that of the partition"),
                      number("nodes", "Number of nodes for a run.", "1")},
       .children = {"Description"},
       .once = {"Description"}}};
}

Batch read_batch(const Element& element, Diagnostics& diagnostics) {
  Batch batch;
  for (const auto& child : element.children("Slurm")) {
    const auto word_of = [&](const char* attribute) {
      std::string text = child.get(attribute);
      if (text.find_first_of(" \t\n\r") == std::string::npos && !has_control(text)) return text;
      diagnostics.error(child.place_of(attribute), fmt::format("'{}' is not one word", text));
      return std::string();
    };
    batch.partition = word_of("partition");
    batch.account = word_of("account");
    batch.time = word_of("time");
    batch.nodes = static_cast<int>(number_of(child, "nodes", 1.0, true, diagnostics));
  }
  return batch;
}

std::vector<Tool> read_tools(const Element& element, bool is_elsewhere, Diagnostics& diagnostics) {
  std::vector<Tool> tools;
  for (const auto& child : element.children("Tool")) {
    Tool tool{.name = child.get("name"),
              .command = child.get("command"),
              .folder = child.get("folder"),
              .licences = static_cast<int>(number_of(child, "licences", 1.0, true, diagnostics)),
              .environment = read_environment(child, diagnostics),
              .declaration = child};
    if (std::any_of(tools.begin(), tools.end(), [&](const Tool& other) { return other.name == tool.name; })) {
      diagnostics.error(child.place_of("name"), fmt::format("tool '{}' appears twice", tool.name));
      continue;
    }
    const std::string_view program = std::string_view(tool.command).substr(0, tool.command.find(' '));
    if (is_elsewhere && program.find('/') != std::string_view::npos && program.find('/') != 0 &&
        !program.starts_with('\'') && !program.starts_with('"')) {
      diagnostics.error(child.place_of("command"),
                        fmt::format("'{}' is on another machine, where this file's folder does not count; expected a "
                                    "whole path, or a name that is looked up in PATH there",
                                    program));
    }
    tools.push_back(std::move(tool));
  }
  return tools;
}

std::vector<Host> read_hosts(const Element& element, Diagnostics& diagnostics) {
  std::vector<Host> hosts;
  for (const auto& child : element.children("Host")) {
    Host host = read_host(child, diagnostics);
    if (std::any_of(hosts.begin(), hosts.end(), [&](const Host& other) { return other.name == host.name; })) {
      diagnostics.error(child.place_of("name"), fmt::format("host '{}' appears twice", host.name));
      continue;
    }
    hosts.push_back(std::move(host));
  }
  return hosts;
}

}  // namespace tieline::model
