#include "results/run_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/resource.h>
#include <utility>

#include "core/atomic_file.hpp"
#include "results/hdf5.hpp"
#include "results/json_numbers.hpp"

namespace tieline::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kVerdicts{Verdict::trust, Verdict::doubt, Verdict::wrong};
constexpr std::array kOutcomes{Outcome::done, Outcome::failed, Outcome::cancelled, Outcome::not_started};

/// Error codes as they are in the file.
constexpr std::array<std::pair<core::ErrorCode, std::string_view>, 10> kErrorCodes{{
    {core::ErrorCode::bad_input, "bad_input"},
    {core::ErrorCode::step_failed, "step_failed"},
    {core::ErrorCode::beyond_horizon, "beyond_horizon"},
    {core::ErrorCode::not_finite, "not_finite"},
    {core::ErrorCode::unsupported, "unsupported"},
    {core::ErrorCode::input_output, "input_output"},
    {core::ErrorCode::cancelled, "cancelled"},
    {core::ErrorCode::peer_lost, "peer_lost"},
    {core::ErrorCode::deadline, "deadline"},
    {core::ErrorCode::protocol, "protocol"},
}};

/// Puts fields into an object.
class FieldWriter {
 public:
  explicit FieldWriter(Json& object) : object_(object) {}
  template <class T>
  void operator()(const char* name, const T& value) {
    object_[name] = value;
  }

 private:
  Json& object_;
};

/// Takes fields out of an object; absent ones keep their defaults, so that older reports can be read.
class FieldReader {
 public:
  explicit FieldReader(const Json& object) : object_(object) {}
  template <class T>
  void operator()(const char* name, T& value) {
    if (!object_.contains(name)) return;
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      value = whole_number<T>(object_.at(name));
    } else {
      object_.at(name).get_to(value);
    }
  }
  /// JSON has no NaN or infinity: they are written as null.
  void operator()(const char* name, double& value) {
    if (!object_.contains(name)) return;
    const auto& field = object_.at(name);
    value = field.is_null() ? std::numeric_limits<double>::quiet_NaN() : field.get<double>();
  }

 private:
  const Json& object_;
};

// Each list of fields below serves writing and reading; `T` is const or not.

template <class Visitor, class T>
void visit_statistics(Visitor&& visit, T& s) {
  visit("solver", s.solver);
  visit("windows", s.windows);
  visit("steps", s.steps);
  visit("rhs_calls", s.rhs_calls);
  visit("jacobian_calls", s.jacobian_calls);
  visit("failed_convergence", s.failed_convergence);
  visit("failed_error_tests", s.failed_error_tests);
  visit("unsuccessful_rhs_calls", s.unsuccessful_rhs_calls);
  visit("events", s.events);
  visit("breaks", s.breaks);
  visit("order_sum", s.order_sum);
  visit("seconds_total", s.seconds_total);
  visit("seconds_rhs", s.seconds_rhs);
  visit("seconds_jacobian", s.seconds_jacobian);
  visit("seconds_writing", s.seconds_writing);
  visit("seconds_waiting", s.seconds_waiting);
}

template <class Visitor, class T>
void visit_energy(Visitor&& visit, T& energy) {
  visit("kinetic", energy.kinetic);
  visit("potential", energy.potential);
  visit("elastic", energy.elastic);
  visit("heat", energy.heat);
  visit("dissipated", energy.dissipated);
  visit("supplied", energy.supplied);
  visit("received", energy.received);
  visit("residual", energy.residual);
}

template <class Visitor, class T>
void visit_line(Visitor&& visit, T& line) {
  visit("impedance", line.impedance);
  visit("stiffness", line.stiffness);
  visit("delay", line.delay);
  visit("damping", line.damping);
  visit("parasitic_mass", line.parasitic_mass);
  visit("frequency", line.frequency);
}

template <class Visitor, class T>
void visit_connection(Visitor&& visit, T& c) {
  visit("name", c.name);
  visit("from", c.from);
  visit("to", c.to);
  visit("kind", c.kind);
  visit("exchanges", c.exchanges);
  visit("bytes", c.bytes);
  visit("energy", c.energy);
  visit("energy_residual", c.energy_residual);
  visit("energy_residual_relative", c.energy_residual_relative);
  visit("momentum_residual", c.momentum_residual);
  visit("momentum_residual_relative", c.momentum_residual_relative);
  visit("drift", c.drift);
  visit("drift_relative", c.drift_relative);
  visit("angular_drift", c.angular_drift);
  visit("angular_drift_relative", c.angular_drift_relative);
  visit("extrapolation_error", c.extrapolation_error);
  visit("input_error", c.input_error);
  visit("extrapolations", c.extrapolations);
  visit("warnings", c.warnings);
}

template <class Visitor, class T>
void visit_layer(Visitor&& visit, T& layer) {
  visit("group", layer.group);
  visit("control_step", layer.control_step);
  visit("members", layer.members);
  visit("steps", layer.steps);
  visit("repeats", layer.repeats);
  visit("most_repeats", layer.most_repeats);
  visit("halvings", layer.halvings);
  visit("unsettled", layer.unsettled);
  visit("shortest_step", layer.shortest_step);
  visit("longest_step", layer.longest_step);
}

template <class Visitor, class T>
void visit_gluing(Visitor&& visit, T& g) {
  visit("name", g.name);
  visit("compatibility", g.compatibility);
  visit("forces", g.forces);
  visit("members", g.members);
  visit("unknowns", g.unknowns);
  visit("steps", g.steps);
  visit("rejected_steps", g.rejected_steps);
  visit("corrections", g.corrections);
  visit("most_corrections", g.most_corrections);
  visit("refreshes", g.refreshes);
  visit("probes", g.probes);
  visit("trials", g.trials);
  visit("condition", g.condition);
  visit("shortest_step", g.shortest_step);
  visit("longest_step", g.longest_step);
  visit("seconds_total", g.seconds_total);
  visit("seconds_members", g.seconds_members);
  visit("notes", g.notes);
}

template <class Visitor, class T>
void visit_error(Visitor&& visit, T& error) {
  visit("message", error.message);
  visit("component", error.component);
  visit("port", error.port);
  visit("time", error.time);
}

// JSON has no infinity, and a reader no use for numbers beyond this.
constexpr double kLargestEstimate = 1e300;

void put_judgement(Json& json, const Judgement& judgement) {
  json["verdict"] = name_of(judgement.verdict);
  json["error_estimate"] = std::min(judgement.error_estimate, kLargestEstimate);
  if (!judgement.reason.empty()) json["reason"] = judgement.reason;
}

Verdict verdict_from(const Json& json) {
  const std::string name = json.value("verdict", "");
  for (const Verdict verdict : kVerdicts)
    if (name_of(verdict) == name) return verdict;
  return Verdict::trust;
}

void take_judgement(const Json& json, Judgement& judgement) {
  judgement.verdict = verdict_from(json);
  FieldReader read(json);
  read("error_estimate", judgement.error_estimate);
  read("reason", judgement.reason);
}

template <class Visitor, class T>
void visit_run(Visitor&& visit, T& report) {
  visit("model", report.model);
  visit("start", report.start);
  visit("stop", report.stop);
  visit("reached", report.reached);
  visit("threads", report.threads);
  visit("wall_seconds", report.wall_seconds);
  visit("speed", report.speed);
  visit("resumed_from", report.resumed_from);
  visit("checkpoints", report.checkpoints);
  visit("seconds_checkpoints", report.seconds_checkpoints);
  visit("peak_memory", report.peak_memory);
  visit("energy_balance_relative", report.energy_balance_relative);
  visit("warnings", report.warnings);
  visit("versions", report.versions);
}

Json json_of(const ComponentReport& component) {
  Json json;
  json["name"] = component.name;
  json["window"] = component.window;
  visit_statistics(FieldWriter(json), component.statistics);
  json["mean_order"] = component.statistics.mean_order();
  if (!component.system.empty()) json["system"] = component.system;
  put_judgement(json, component.judgement);
  if (component.energy) visit_energy(FieldWriter(json["energy"]), *component.energy);
  for (const ReportedFact& fact : component.facts) {
    json["facts"][fact.name] = std::isnan(fact.value) ? Json(fact.text) : Json(fact.value);
  }
  return json;
}

Json json_of(const SystemReport& system) {
  Json json;
  json["name"] = system.name;
  json["components"] = system.components;
  json["window"] = system.window;
  visit_statistics(FieldWriter(json), system.statistics);
  json["mean_order"] = system.statistics.mean_order();
  return json;
}

Json json_of(const ConnectionReport& connection) {
  Json json;
  visit_connection(FieldWriter(json), connection);
  put_judgement(json, connection.judgement);
  json["domain"] = core::names_of(connection.domain).domain;
  if (connection.line) visit_line(FieldWriter(json["line"]), *connection.line);
  if (connection.rotation) visit_line(FieldWriter(json["rotation"]), *connection.rotation);
  return json;
}

Json json_of(const GluingReport& gluing) {
  Json json = Json::object();
  visit_gluing(FieldWriter(json), gluing);
  return json;
}

Json json_of(const LayerReport& layer) {
  Json json = Json::object();
  visit_layer(FieldWriter(json), layer);
  return json;
}

template <class Visit, class Ending>
void visit_ending(Visit&& visit, Ending& ending) {
  visit("component", ending.component);
  visit("time", ending.time);
  visit("reason", ending.reason);
}

Json json_of(const core::Error& error) {
  Json json;
  for (const auto& [code, name] : kErrorCodes)
    if (code == error.code) json["code"] = name;
  visit_error(FieldWriter(json), error);
  return json;
}

ComponentReport component_from(const Json& json) {
  ComponentReport component;
  FieldReader read(json);
  read("name", component.name);
  read("window", component.window);
  visit_statistics(read, component.statistics);
  read("system", component.system);
  take_judgement(json, component.judgement);
  if (json.contains("energy")) visit_energy(FieldReader(json["energy"]), component.energy.emplace());
  if (json.contains("facts")) {
    for (const auto& [name, value] : json["facts"].items()) {
      component.facts.push_back({name, value.is_string() ? value.get<std::string>() : "",
                                 value.is_number() ? value.get<double>() : std::nan("")});
    }
  }
  return component;
}

SystemReport system_from(const Json& json) {
  SystemReport system;
  FieldReader read(json);
  read("name", system.name);
  read("components", system.components);
  read("window", system.window);
  visit_statistics(read, system.statistics);
  return system;
}

ConnectionReport connection_from(const Json& json) {
  ConnectionReport connection;
  visit_connection(FieldReader(json), connection);
  take_judgement(json, connection.judgement);
  connection.domain = core::domain_from_name(json.value("domain", "")).value_or(core::Domain::translation);
  if (json.contains("line")) visit_line(FieldReader(json["line"]), connection.line.emplace());
  if (json.contains("rotation")) visit_line(FieldReader(json["rotation"]), connection.rotation.emplace());
  return connection;
}

core::Error error_from(const Json& json) {
  core::Error error;
  const std::string code_name = json.value("code", "");
  for (const auto& [code, name] : kErrorCodes)
    if (name == code_name) error.code = code;
  visit_error(FieldReader(json), error);
  return error;
}

/// The text of one object, field by field, as `Json::dump(1)` lays it out. Lists may be long: one of their elements at
/// a time is a value, and no more.
class ObjectText {
 public:
  explicit ObjectText(std::ostream& out) : out_(out) { out_ << '{'; }
  void put_fields(const Json& object) {
    for (const auto& [name, value] : object.items()) {
      begin_field(name);
      put(value, 1);
    }
  }
  template <class T>
  void put_list(const char* name, const std::vector<T>& elements) {
    begin_field(name);
    out_ << '[';
    const char* separator = "\n  ";
    for (const T& element : elements) {
      out_ << std::exchange(separator, ",\n  ");
      put(json_of(element), 2);
    }
    out_ << (elements.empty() ? "]" : "\n ]");
  }
  /// A text that may be as long as a model: piece by piece, without a copy of the whole.
  void put_text(const char* name, std::string_view text) {
    begin_field(name);
    out_ << '"';
    while (!text.empty()) {
      std::size_t size = std::min(kPiece, text.size());
      while (size < text.size() && is_inside_character(text[size])) ++size;
      const std::string piece = text_of(Json(text.substr(0, size)));
      out_ << std::string_view(piece).substr(1, piece.size() - 2);  // without its quotes
      text.remove_prefix(size);
    }
    out_ << '"';
  }
  void close() { out_ << "\n}\n"; }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  static bool is_inside_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }  // UTF-8
  /// A model file in another encoding than UTF-8 must not cost the report.
  static std::string text_of(const Json& value) { return value.dump(1, ' ', false, Json::error_handler_t::replace); }

  void begin_field(const std::string& name) {
    out_ << std::exchange(separator_, ",\n ");
    put(Json(name), 0);
    out_ << ": ";
  }
  void put(const Json& value, std::size_t depth) {
    const std::string text = text_of(value);
    for (std::size_t line = 0; line != text.npos;) {
      const std::size_t end = text.find('\n', line);
      if (line > 0) out_ << '\n' << std::string_view("  ").substr(0, depth);
      out_ << std::string_view(text).substr(line, end == text.npos ? text.npos : end - line);
      line = end == text.npos ? text.npos : end + 1;
    }
  }

  std::ostream& out_;
  const char* separator_ = "\n ";
};

void put_report(const RunReport& report, std::ostream& out) {
  ObjectText text(out);
  Json head;
  head["outcome"] = name_of(report.outcome);
  if (report.error) head["error"] = json_of(*report.error);
  if (report.ended_by) visit_ending(FieldWriter(head["ended_by"]), *report.ended_by);
  head["verdict"] = name_of(report.verdict);
  head["error_estimate"] = std::min(report.error_estimate, kLargestEstimate);
  head["reasons"] = report.reasons;
  visit_run(FieldWriter(head), report);
  text.put_fields(head);
  text.put_list("components", report.components);
  if (!report.systems.empty()) text.put_list("systems", report.systems);
  text.put_list("connections", report.connections);
  if (!report.gluings.empty()) text.put_list("gluings", report.gluings);
  if (!report.layers.empty()) text.put_list("layers", report.layers);
  text.put_text("resolved_model", report.resolved_model);
  text.close();
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "done";
    case Outcome::failed:
      return "failed";
    case Outcome::cancelled:
      return "cancelled";
    case Outcome::not_started:
      return "not started";
  }
  return "";
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::trust:
      return "trust";
    case Verdict::doubt:
      return "doubt";
    case Verdict::wrong:
      return "wrong";
  }
  return "";
}

std::string to_json(const RunReport& report) {
  std::ostringstream out;
  put_report(report, out);
  return std::move(out).str();
}

core::Result<RunReport> report_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    RunReport report;
    const std::string outcome_name = json.at("outcome").get<std::string>();
    for (const Outcome outcome : kOutcomes)
      if (name_of(outcome) == outcome_name) report.outcome = outcome;
    if (json.contains("error")) report.error = error_from(json["error"]);
    if (json.contains("ended_by")) visit_ending(FieldReader(json["ended_by"]), report.ended_by.emplace());
    report.verdict = verdict_from(json);
    FieldReader read(json);
    read("error_estimate", report.error_estimate);
    read("reasons", report.reasons);
    visit_run(FieldReader(json), report);
    for (const auto& component : json.at("components")) report.components.push_back(component_from(component));
    if (json.contains("systems")) {
      for (const auto& system : json["systems"]) report.systems.push_back(system_from(system));
    }
    if (json.contains("gluings")) {
      for (const auto& gluing : json["gluings"]) visit_gluing(FieldReader(gluing), report.gluings.emplace_back());
    }
    if (json.contains("layers")) {
      for (const auto& layer : json["layers"]) visit_layer(FieldReader(layer), report.layers.emplace_back());
    }
    for (const auto& connection : json.at("connections")) report.connections.push_back(connection_from(connection));
    report.resolved_model = json.value("resolved_model", "");
    return report;
  } catch (const std::exception& failure) {
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("not a report of a run: {}", failure.what())};
  }
}

core::Result<void> write_report(const RunReport& report, const std::filesystem::path& file) {
  return core::replace_file_by(file, [&](std::ostream& out) { put_report(report, out); });
}

core::Result<RunReport> read_report(const std::filesystem::path& file) {
  const auto text = core::read_whole(file);
  if (!text) return text.error();
  auto report = report_from_json(*text);
  if (!report) report.error().message = fmt::format("'{}' is damaged: it is {}", file.string(), report.error().message);
  return report;
}

std::map<std::string, std::string> library_versions() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return {{"HDF5", fmt::format("{}.{}.{}", major, minor, release)}, {"compiler", "gcc " __VERSION__}};
}

std::uint64_t peak_resident_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // the kernel counts in kB
}

}  // namespace tieline::results
