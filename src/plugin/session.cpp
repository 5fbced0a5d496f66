// Joining a run: what the model says, what the tool registers, and how both begin.

#include "plugin/session.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/nearest_name.hpp"

namespace tieline::plugin {
namespace {

using core::Error;
using core::ErrorCode;
using core::InterfaceShape;
using transport::Message;

// Times closer than this share of a tick are one time: tools add up their steps.
constexpr double kSameTimeShare = 1e-9;
// The same where there is no schedule, as a share of the time itself.
constexpr double kSameTime = 1e-12;

std::string described(const InterfaceShape& shape) {
  const std::string numbers = shape.size == 1 ? "" : " of " + std::to_string(shape.size) + " numbers";
  return std::string(core::names_of(shape.domain).domain) + ", " + std::string(core::name_of(shape.causality)) +
         numbers;
}

InterfaceShape shape_of(const transport::InterfaceMessage& message) {
  return {message.name, message.domain, message.causality, static_cast<int>(message.size)};
}

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::peer_lost:
      return TIELINE_ERROR_LOST;
    case ErrorCode::deadline:
      return TIELINE_ERROR_DEADLINE;
    case ErrorCode::input_output:
      return TIELINE_ERROR_FILE;
    default:
      return TIELINE_ERROR_PROTOCOL;
  }
}

ErrorCode code_of(int status) {
  switch (status) {
    case TIELINE_ERROR_VALUE:
      return ErrorCode::not_finite;
    case TIELINE_ERROR_HORIZON:
    case TIELINE_ERROR_STEP:
      return ErrorCode::beyond_horizon;
    case TIELINE_ERROR_LOST:
      return ErrorCode::peer_lost;
    case TIELINE_ERROR_DEADLINE:
      return ErrorCode::deadline;
    case TIELINE_ERROR_PROTOCOL:
      return ErrorCode::protocol;
    case TIELINE_ERROR_SNAPSHOT:
      return ErrorCode::unsupported;
    case TIELINE_ERROR_TOOL:
      return ErrorCode::step_failed;
    case TIELINE_ERROR_FILE:
      return ErrorCode::input_output;
    default:
      return ErrorCode::bad_input;
  }
}

}  // namespace

Session::Session(const OpenOptions& options) : step_time_(std::nan("")) {
  if (const char* const file = std::getenv("TIELINE_RELEASE"); file != nullptr && *file != '\0') {
    auto list = ReleaseList::read(file);
    if (!list) throw Failure{TIELINE_ERROR_FILE, list.error().message};
    release_ = std::move(*list);
  }
  join(options);
}

Session::~Session() {
  if (membership_ == nullptr) return;
  membership_->set_on_beat({});
  if (phase_ == Phase::running) {
    note({TIELINE_ERROR_ORDER, "it closed its session before the run was over"});
  } else if (phase_ == Phase::joined && !setup_.is_inquiry) {
    std::string text;
    for (const Mismatch& each : mismatches_) text += (text.empty() ? "" : "; ") + each.text;
    note({TIELINE_ERROR_ORDER, text.empty() ? "it closed its session before it had started" : text});
  }
  flush_rows();
  // Its thread uses the tables, which go before it otherwise.
  membership_.reset();
}

void Session::join(const OpenOptions& options) {
  const auto refuse = [](const std::string& text) { return Failure{TIELINE_ERROR_JOIN, text}; };
  if (options.master.empty() || options.component.empty()) {
    throw refuse(
        "no master is known: TIELINE_MASTER, TIELINE_TOKEN and TIELINE_COMPONENT are set for programs that "
        "`tieline run` starts, or by the file NAME.join that it writes for those that it awaits");
  }
  const transport::FactoryTable& factories = transport::standard_factories();
  if (factories.at(options.master) == nullptr) {
    throw refuse("cannot read the master's endpoint '" + options.master + "': expected " + factories.address_forms());
  }
  const auto token = transport::Token::parse(options.token);
  if (!token) throw refuse("cannot read the token: expected 32 hexadecimal digits");
  const auto patience =
      std::chrono::duration_cast<transport::Clock::duration>(std::chrono::duration<double>(options.patience));
  const transport::Until until = transport::Until::in(patience);
  auto membership = transport::Membership::join({options.master, *token, options.component}, until);
  if (!membership) {
    throw refuse("cannot join at " + options.master + " as '" + options.component + "': " + membership.error().message);
  }
  membership_ = std::move(*membership);
  auto message = membership_->receive(until);
  if (!message) throw refuse("the master sent no instructions: " + message.error().message);
  auto setup = message->type == Message::setup ? transport::decode<transport::Setup>(message->payload) : std::nullopt;
  if (!setup) throw Failure{TIELINE_ERROR_PROTOCOL, "the master's first message cannot be read"};
  setup_ = std::move(*setup);
  membership_->set_beat_interval(setup_.beat_interval);
}

std::size_t Session::find_parameter(const std::string& name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < setup_.parameters.size(); ++i) {
    if (setup_.parameters[i].name == name) return i;
    names.push_back(setup_.parameters[i].name);
  }
  const std::string nearest = core::nearest_name(name, names);
  throw Failure{.status = TIELINE_ERROR_NAME,
                .text = "the model gives no parameter '" + name + "'" +
                        (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"),
                .ends_run = false};
}

int Session::register_interface(const std::string& name, int domain, int causality, int count) {
  if (phase_ != Phase::joined) {
    throw Failure{TIELINE_ERROR_ORDER, "interface '" + name + "' is registered after tieline_start", name};
  }
  const auto wrong = [&](const std::string& text) {
    return Failure{TIELINE_ERROR_ARGUMENT, "interface '" + name + "': " + text, name};
  };
  if (domain < TIELINE_TRANSLATION || domain > TIELINE_SIGNAL) throw wrong("there is no such domain");
  if (causality < TIELINE_FORCE_IN || causality > TIELINE_OUTPUT) throw wrong("there is no such causality");
  const InterfaceShape shape{name, static_cast<core::Domain>(domain), static_cast<core::Causality>(causality), count};
  if (const auto problem = core::problem_with(shape)) throw wrong(*problem);
  for (const Registered& each : registered_) {
    if (each.shape.name == name) throw wrong("it is registered twice");
  }
  // A tool may have more than a model uses; a misspelt name shows when tieline_start misses one.
  for (const auto& message : setup_.interfaces) {
    const InterfaceShape declared = shape_of(message);
    if (declared.name != name) continue;
    if (declared.domain != shape.domain || declared.causality != shape.causality || declared.size != shape.size) {
      mismatches_.push_back({name, "interface '" + name + "': registered as " + described(shape) +
                                       ", but the model declares " + described(declared)});
      // The run does not end here: with what else is wrong this is reported by tieline_start, or by the end of the
      // session.
      throw Failure{
          .status = TIELINE_ERROR_ARGUMENT, .text = mismatches_.back().text, .interface = name, .ends_run = false};
    }
  }
  Registered added{.shape = shape, .kind = kind_of(shape)};
  if (shape.domain == core::Domain::mechanical3d) added.arm = arm_of(name);
  // Until the tool says otherwise, it stands where the model places it, and rests.
  added.first.pose.position = {setup_.position[0], setup_.position[1], setup_.position[2]};
  added.first.pose.orientation =
      Eigen::Quaterniond(setup_.rotation[0], setup_.rotation[1], setup_.rotation[2], setup_.rotation[3]).normalized();
  if (added.arm) added.first.pose = added.arm->out({added.first.pose, {}}).pose;
  if (shape.causality == core::Causality::output) {
    added.first.values.assign(static_cast<std::size_t>(count), 0.0);
    added.first.rates.assign(static_cast<std::size_t>(count), 0.0);
  }
  registered_.push_back(std::move(added));
  return static_cast<int>(registered_.size()) - 1;
}

std::optional<core::RigidArm> Session::arm_of(const std::string& interface) const {
  for (const auto& message : setup_.interfaces) {
    if (message.name != interface) continue;
    const Eigen::Vector3d x(message.end_position.data());
    const auto& [w, i, j, k] = message.end_rotation;
    const Eigen::Quaterniond turn = Eigen::Quaterniond(w, i, j, k).normalized();
    if (x.isZero(0.0) && turn.vec().isZero(0.0)) return std::nullopt;
    return core::RigidArm({x, turn});
  }
  return std::nullopt;
}

void Session::set_snapshot(const Snapshot& snapshot) {
  if (phase_ != Phase::joined) throw Failure{TIELINE_ERROR_ORDER, "tieline_set_snapshot comes before tieline_start"};
  if ((snapshot.save == nullptr) != (snapshot.restore == nullptr)) {
    throw Failure{TIELINE_ERROR_ARGUMENT, "a tool that can save its state must be able to restore it"};
  }
  snapshot_ = snapshot;
}

bool Session::can_save() const { return snapshot_.save != nullptr && release_.lets_snapshot(); }

void Session::order_interfaces() {
  std::vector<std::string> names;
  for (const Registered& each : registered_) names.push_back(each.shape.name);
  std::string problems;
  std::vector<Registered*> ordered;
  for (const auto& declared : setup_.interfaces) {
    const auto found = std::find_if(registered_.begin(), registered_.end(),
                                    [&](const Registered& each) { return each.shape.name == declared.name; });
    if (found != registered_.end()) {
      ordered.push_back(&*found);
      continue;
    }
    const auto mismatch = std::find_if(mismatches_.begin(), mismatches_.end(),
                                       [&](const Mismatch& each) { return each.interface == declared.name; });
    if (mismatch != mismatches_.end()) {
      problems += (problems.empty() ? "" : "; ") + mismatch->text;
      continue;
    }
    const std::string nearest = core::nearest_name(declared.name, names);
    problems += (problems.empty() ? "" : "; ") + ("the model declares interface '" + declared.name) +
                "', which is not registered" + (nearest.empty() ? "" : " ('" + nearest + "' is)");
  }
  if (!problems.empty()) throw Failure{TIELINE_ERROR_INTERFACE, problems};
  for (Registered& each : registered_) {
    if (std::find(ordered.begin(), ordered.end(), &each) == ordered.end()) ordered.push_back(&each);
  }
  std::vector<InterfaceShape> shapes;
  for (std::size_t place = 0; place < ordered.size(); ++place) {
    ordered[place]->place = place;
    shapes.push_back(ordered[place]->shape);
  }
  interfaces_ = std::make_unique<core::InterfaceSet>(std::move(shapes));
  progress_.assign(ordered.size(), {});
}

void Session::send_registration(const std::string& endpoint) {
  transport::Registration registration{.can_save = can_save(), .endpoint = endpoint};
  registration.interfaces.resize(registered_.size());
  for (const Registered& each : registered_) {
    transport::RegisteredInterface& stated = registration.interfaces[each.place];
    stated.interface = {each.shape.name, each.shape.domain, each.shape.causality,
                        static_cast<std::uint32_t>(each.shape.size), false};
    stated.first = core::numbers_of(each.shape, each.first);
  }
  const auto sent = membership_->send(Message::registered, [&](transport::Encoder e) { encode(e, registration); });
  if (!sent) fail(sent.error());
}

int Session::start() {
  if (phase_ != Phase::joined) throw Failure{TIELINE_ERROR_ORDER, "tieline_start was called twice"};
  order_interfaces();
  if (setup_.is_inquiry) {
    send_registration("");
    phase_ = Phase::over;
    return TIELINE_STOP;
  }
  auto links = transport::LinkSetup::open(setup_.component, setup_.transports);
  if (!links) fail(links.error());
  send_registration(links->addresses());
  auto message = receive();
  if (message.type == Message::leave) {
    phase_ = Phase::over;
    return TIELINE_STOP;
  }
  if (message.type != Message::begin) throw Failure{TIELINE_ERROR_PROTOCOL, "the master sent a message out of order"};
  begin(std::move(message), *links);
  phase_ = Phase::running;
  if (const auto sent = membership_->send(Message::ready); !sent) fail(sent.error());
  return joints_ != nullptr ? wait_for_go() : wait_for_drive();
}

void Session::begin(transport::ReceivedMessage message, transport::LinkSetup& links) {
  auto begin = transport::decode<transport::Begin>(message.payload);
  if (!begin) throw Failure{TIELINE_ERROR_PROTOCOL, "the master's schedule cannot be read"};
  prepare_rows(*begin);
  if (!begin->is_driven) {
    auto streams = links.make(begin->links, std::move(message.attachments), until());
    if (!streams) fail(streams.error());
    const auto rows = [&](const transport::ConnectionMessage& connection) -> core::RowSink* {
      if (!connection.is_to || connection.columns.empty()) return nullptr;
      // What a line holds belongs to both of its ends.
      tables_.push_back(std::make_unique<RowBuffer>(*membership_, "connections." + connection.name,
                                                    std::vector<bool>(connection.columns.size(), true)));
      return tables_.back().get();
    };
    auto joints = Joints::make(*begin, *interfaces_, std::move(*streams), rows);
    if (!joints) fail(joints.error());
    joints_ = std::move(*joints);
    rounding_ = kSameTimeShare * begin->tick_length;
    if (!begin->tracks_file.empty()) {
      auto log = lines::TrackLog::create(begin->tracks_file, message.payload);
      if (!log) fail(log.error());
      track_log_.emplace(std::move(*log));
      joints_->set_log(&*track_log_);
    }
  } else {
    rounding_ = kSameTime * std::max(std::abs(begin->start), std::abs(begin->stop));
  }
  std::vector<core::InterfaceState> first(registered_.size());
  for (const Registered& each : registered_) first[each.place] = each.first;
  publisher_ = std::make_unique<core::StatePublisher>(*interfaces_, std::move(first), begin->start, begin->is_driven);
  rows_start_ = begin->start;
  rows_.start(begin->start);
  if (begin->has_state) put_back(begin->state);
  membership_->set_on_beat([this] {
    for (auto& table : tables_) table->try_flush();
  });
}

void Session::prepare_rows(const transport::Begin& begin) {
  if (begin.columns.empty() || begin.is_driven) return;
  core::RecordPlan plan{.interval = begin.row_interval};
  std::vector<bool> is_let;
  for (const std::uint32_t column : begin.columns) {
    if (column >= interfaces_->columns().size()) {
      throw Failure{TIELINE_ERROR_PROTOCOL, "the master asks for results that do not exist"};
    }
    plan.selected.push_back(static_cast<int>(column));
    is_let.push_back(release_.lets_result(interfaces_->columns()[column].name));
  }
  tables_.push_back(std::make_unique<RowBuffer>(*membership_, setup_.component, std::move(is_let)));
  plan.sink = tables_.back().get();
  rows_.plan(std::move(plan), interfaces_->columns().size());
}

void Session::flush_rows() {
  for (auto& table : tables_) table->flush();
}

transport::Until Session::until() const {
  const auto patience = std::chrono::duration<double>(setup_.patience);
  return transport::Until::in(std::chrono::duration_cast<transport::Clock::duration>(patience),
                              &membership_->stop_flag());
}

void Session::fail(const Error& error) {
  // A partner that ends because the run does is no failure of its own.
  if (error.code == ErrorCode::cancelled || membership_->stop_flag()) {
    const Error reason = membership_->stop_reason();
    if (reason.code != ErrorCode::peer_lost) {
      phase_ = Phase::over;
      throw Stopped{};
    }
    throw Failure{TIELINE_ERROR_LOST, reason.message};
  }
  const std::string partner = error.component.empty() ? "" : "partner '" + error.component + "': ";
  throw Failure{status_of(error.code), partner + error.message, error.port};
}

transport::ReceivedMessage Session::receive() {
  auto message = membership_->receive({});
  if (!message) fail(message.error());
  return std::move(*message);
}

std::string Session::stop_reason() const { return membership_->stop_reason().message; }

void Session::note(const Failure& failure) {
  if (!failure.ends_run) return;
  Error error{.code = code_of(failure.status), .message = failure.text, .component = setup_.component};
  error.port = failure.interface;
  // A thread that came in where another was already knows no more than that.
  if (failure.status != TIELINE_ERROR_CONCURRENT) {
    if (phase_ != Phase::failed) failure_ = failure;
    phase_ = Phase::failed;
    if (publisher_ != nullptr) error.time = publisher_->time();
  }
  if (is_reported_.exchange(true)) return;
  if (release_.is_restricted()) {
    error.message = "it failed with error " + std::to_string(failure.status) + "; its release list allows no details";
  }
  // A master that is gone cannot be notified.
  (void)membership_->send(Message::failed, [&](transport::Encoder encoder) { encode(encoder, error); });
}

void Session::check_alive() const {
  if (phase_ != Phase::failed) return;
  Failure again = failure_;
  again.ends_run = false;
  throw again;
}

}  // namespace tieline::plugin
