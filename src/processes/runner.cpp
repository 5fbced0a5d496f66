#include "processes/runner.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>

#include "assembly/assembly.hpp"
#include "assembly/confinement.hpp"
#include "assembly/hosted_node.hpp"
#include "document/diagnostics.hpp"
#include "lines/track_log.hpp"
#include "participant/environment.hpp"
#include "participant/sandbox.hpp"
#include "processes/fmu_verification.hpp"
#include "processes/letter.hpp"
#include "processes/network.hpp"
#include "processes/reported_figures.hpp"
#include "processes/site_check.hpp"
#include "processes/stream_choice.hpp"
#include "transport/link_setup.hpp"
#include "transport/membership.hpp"

namespace tieline::processes {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using transport::Membership;
using transport::Message;
using transport::Until;

constexpr int kDone = 0;
constexpr int kFailed = 2;
// To join a master that has just started this process.
constexpr std::chrono::seconds kJoinTime{30};
// Bytes of rows that are collected before they are sent; signs of life send what there is.
constexpr std::size_t kRowsAtOnce = 32768;

/// Sends the rows of one table to the master, many at a time. The component's thread writes, that of the membership may
/// flush.
class RowSender final : public core::RowSink {
 public:
  RowSender(Membership& membership, const std::string& table, std::size_t columns) : membership_(membership) {
    rows_.table = table;
    rows_.width = static_cast<std::uint32_t>(columns + 1);
  }

  void row(double t, std::span<const double> values) override {
    std::unique_lock lock(mutex_);
    rows_.numbers.push_back(t);
    rows_.numbers.insert(rows_.numbers.end(), values.begin(), values.end());
    if (rows_.numbers.size() * sizeof(double) >= kRowsAtOnce) send();
  }
  void flush() {
    const std::lock_guard lock(mutex_);
    send();
  }
  /// Leaves it to the writer where that is sending: it may wait for room, which only the thread that calls this makes.
  void try_flush() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) send();
  }

 private:
  void send() {
    if (rows_.numbers.empty()) return;
    // A master that is gone is noticed elsewhere.
    (void)membership_.send(Message::rows, [&](transport::Encoder encoder) { encode(encoder, rows_); });
    rows_.numbers.clear();
  }

  Membership& membership_;
  std::mutex mutex_;
  transport::Rows rows_{};
};

class Runner {
 public:
  Runner(Membership& membership, const Network& network, const OpenedLetter* letter)
      : membership_(membership), network_(network), letter_(letter) {}
  ~Runner() {
    membership_.set_on_beat({});
    flush_rows();  // of a run that did not come to its end, too
  }

  Result<void> run() {
    if (auto built = build(); !built) return built;
    if (auto begun = begin(); !begun) return begun;
    while (true) {
      auto message = membership_.receive({});
      if (!message) return message.error();
      transport::Decoder decoder(message->payload);
      switch (message->type) {
        case Message::go:
          if (auto gone = go(decoder.i64()); !gone) return gone;
          break;
        case Message::save:
          if (auto saved = save(); !saved) return saved;
          break;
        case Message::leave:
          return {};
        default:
          return unexpected(message->type);
      }
    }
  }

 private:
  static Error unexpected(Message type) {
    return {.code = ErrorCode::protocol,
            .message = fmt::format("the master sent a message of type {} that a runner does not expect",
                                   static_cast<int>(type))};
  }

  /// The next message, which must be of that type; also as it came.
  template <class T>
  Result<T> expect(Message type, transport::ReceivedMessage& message) {
    auto received = membership_.receive({});
    if (!received) return received.error();
    message = std::move(*received);
    if (message.type != type) return unexpected(message.type);
    auto content = transport::decode<T>(message.payload);
    if (!content) return Error{.code = ErrorCode::protocol, .message = "the master sent a message that cannot be read"};
    return std::move(*content);
  }

  Result<void> build() {
    transport::ReceivedMessage message;
    auto setup = expect<transport::Setup>(Message::setup, message);
    if (!setup) return setup.error();
    membership_.set_beat_interval(setup->beat_interval);
    // On another machine the model lies where the letter has put it.
    if (letter_ != nullptr) setup->model_file = letter_->place_of(setup->model_file).string();
    document::Diagnostics diagnostics;
    std::vector<model::Override> overrides;
    for (const auto& [name, value] : setup->overrides) overrides.push_back({name, value});
    auto checked = assembly::check_model(setup->model_file, overrides, diagnostics);
    const auto bad_model = [&] { return Error{.code = ErrorCode::bad_input, .message = diagnostics.describe()}; };
    if (!checked || diagnostics.has_errors()) return bad_model();
    checked_ = std::move(*checked);
    checked_.model.simulation.stop = setup->stop;
    checked_.model.simulation.save_interval = setup->save_interval;
    node_ = node_named(setup->component);
    if (node_ < 0) {
      return Error{.code = ErrorCode::bad_input,
                   .message = fmt::format("the model '{}' has no '{}'", setup->model_file, setup->component)};
    }
    assembly::AssemblyOptions options{.only_node = node_};
    options.sink_of = [this](const std::string& owner, std::size_t columns) {
      return &senders_.try_emplace(owner, membership_, owner, columns).first->second;
    };
    // The master puts the node's name before what is said.
    options.on_message = [this, own = setup->component + ": "](const std::string& line) {
      (void)membership_.send(Message::log, [&](transport::Encoder encoder) {
        encoder.u8(0);
        encoder.text(line.starts_with(own) ? std::string_view(line).substr(own.size()) : std::string_view(line));
      });
    };
    if (auto confined = confine(*setup); !confined) return confined;
    is_hosted_ = checked_.nodes[static_cast<std::size_t>(node_)].is_hosted;
    auto assembly = assembly::assemble(checked_, options, diagnostics);
    if (!assembly) return bad_model();
    assembly_ = std::move(*assembly);
    engine().set_ends_early(false);  // the master knows of all others
    membership_.set_on_beat([this] {
      for (auto& [owner, sender] : senders_) sender.try_flush();
    });

    auto links = transport::LinkSetup::open(setup->component, setup->transports, network_.factories());
    if (!links) return links.error();
    link_setup_.emplace(std::move(*links));
    const transport::Registration registration{.can_save = true, .endpoint = link_setup_->addresses()};
    return membership_.send(Message::registered, [&](transport::Encoder encoder) { encode(encoder, registration); });
  }

  /// Before any third-party code is loaded: takes away what it must not have.
  Result<void> confine(const transport::Setup& setup) {
    const std::vector<int>& own = checked_.nodes[static_cast<std::size_t>(node_)].components;
    participant::SandboxRequest request{.level = assembly::sandbox_of(checked_, own, setup.sandbox)};
    if (request.level == core::SandboxLevel::no) return {};
    for (const int i : own) {
      const auto& blueprint = checked_.blueprints[static_cast<std::size_t>(i)];
      if (!blueprint || !blueprint->unpack) continue;
      auto folder = blueprint->unpack();
      if (!folder) {
        folder.error().component = checked_.model.components[static_cast<std::size_t>(i)].name;
        return folder.error();
      }
      request.writable.push_back(std::move(*folder));
    }
    if (request.level == core::SandboxLevel::strict) {
      if (!request.writable.empty()) ::setenv("TMPDIR", request.writable.front().c_str(), 1);
      if (auto made = make_tracks_file(setup.tracks_file); !made) return made;
      if (!setup.tracks_file.empty()) request.writable.emplace_back(setup.tracks_file);
    }
    auto sandbox = participant::Sandbox::prepare(request);
    if (!sandbox) return sandbox.error();
    // The thread of the membership, too: memory is common to all threads.
    bool is_confined = false;
    const bool has_run = membership_.run_there([&] { is_confined = sandbox->confine_thread(); });
    if (has_run && is_confined && sandbox->confine_thread() && sandbox->confine_process()) return {};
    return Error{.code = ErrorCode::unsupported,
                 .message = fmt::format("the sandbox '{}' cannot be set up", core::name_of(request.level))};
  }

  /// An empty one, so that writing to it can be allowed.
  static Result<void> make_tracks_file(const std::filesystem::path& file) {
    if (file.empty()) return {};
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    if (std::ofstream(file)) return {};
    return Error{.code = ErrorCode::input_output, .message = fmt::format("cannot create '{}'", file.string())};
  }

  /// -1 where the model has none of that name.
  [[nodiscard]] int node_named(const std::string& name) const {
    const auto& nodes = checked_.nodes;
    const auto found =
        std::find_if(nodes.begin(), nodes.end(), [&](const assembly::Node& node) { return node.name == name; });
    return found == nodes.end() ? -1 : static_cast<int>(found - nodes.begin());
  }
  core::Component& node() { return engine().component(static_cast<std::size_t>(node_)); }

  /// Components that nobody else has are started here, as often as the master wants.
  Result<void> start(const transport::ReceivedMessage& message) {
    transport::Decoder decoder(message.payload);
    const std::string tracks(decoder.text());
    if (!decoder.is_complete() || !is_hosted_) return unexpected(message.type);
    auto started = assembly::start_hosted(tracks, node(), checked_.model.simulation.start);
    if (!started) return started.error();
    has_started_ = true;
    return membership_.send(Message::started, [&](transport::Encoder encoder) { encoder.text(*started); });
  }

  /// The node's state in what the master sends; empty if it stays as it has started.
  Result<std::string> hosted(const std::string& sent) {
    try {
      std::string state = assembly::take_hosted_state(sent, node());
      if (!state.empty() || has_started_) return state;
      // Played back: nobody has asked for its start.
      if (auto started = node().start(checked_.model.simulation.start); !started) return started.error();
      return state;
    } catch (const core::ArchiveError& problem) {
      return Error{.code = ErrorCode::protocol, .message = problem.what()};
    }
  }

  Result<void> begin() {
    auto received = membership_.receive({});
    while (received && received->type == Message::start) {
      if (auto started = start(*received); !started) return started;
      received = membership_.receive({});
    }
    if (!received) return received.error();
    transport::ReceivedMessage message = std::move(*received);
    if (message.type != Message::begin) return unexpected(message.type);
    auto begin = transport::decode<transport::Begin>(message.payload);
    if (!begin) return Error{.code = ErrorCode::protocol, .message = "the master sent a message that cannot be read"};
    spin_ = std::chrono::nanoseconds(begin->spin);
    if (is_hosted_) {
      auto own = hosted(begin->state);
      if (!own) return own.error();
      begin->state = std::move(*own);
    }
    const engine::NodeState state{std::move(begin->state), std::move(begin->feeds), std::move(begin->ends)};
    if (auto restored = engine().restore_node(node_, begin->tick, state); !restored) return restored;
    auto streams =
        link_setup_->make(begin->links, std::move(message.attachments), Until{.cancel = &membership_.stop_flag()});
    if (!streams) return streams.error();
    if (!begin->tracks_file.empty()) {
      auto log = lines::TrackLog::create(begin->tracks_file, message.payload);
      if (!log) return log.error();
      tracks_.emplace(std::move(*log));
    }
    for (std::size_t i = 0; i < streams->size(); ++i) {
      const int partner = node_named(begin->links[i].partner);
      if (partner < 0) return Error{.code = ErrorCode::protocol, .message = "a link has no partner"};
      links_.push_back(&engine().link({node_, partner}, std::move((*streams)[i])));
      if (!tracks_) continue;
      const auto number = static_cast<std::uint32_t>(i);
      links_.back()->set_tap([this, number](std::span<const std::byte> payload) { tracks_->append(number, payload); });
    }
    return membership_.send(Message::ready);
  }

  Result<void> go(core::Tick limit) {
    engine::RunOptions options{.threads = 1, .cancel = &membership_.stop_flag(), .spin = spin_};
    options.on_progress = [&](const engine::Progress&) {
      membership_.note_tick(engine().reached(node_));
      membership_.note_wait(engine().waits_for(node_));
    };
    options.end = &membership_.end_tick();
    options.on_ending = [&](const core::Ending& ending) {
      (void)membership_.send(Message::ended, [&](transport::Encoder encoder) { encode(encoder, ending); });
    };
    auto ran = engine().run_to(limit, options);
    if (tracks_) {
      if (auto flushed = tracks_->flush(); !flushed && ran) return flushed;
    }
    if (!ran) return ran;
    engine().settle();
    flush_rows();
    membership_.note_tick(engine().reached(node_));
    membership_.note_wait("");
    transport::Parked parked{.tick = engine().reached(node_), .ends = engine().ends_of(node_)};
    for (const lines::Link* link : links_) parked.link_bytes += link->bytes_sent();
    for (core::Component* component : assembly_.components) {
      if (component != nullptr) {
        parked.figures.push_back(figures_of(*component, engine().seconds_waiting(static_cast<std::size_t>(node_))));
      }
    }
    core::ArchiveWriter accounts;
    node().save_accounts(accounts);
    parked.group = std::move(accounts).take();
    return membership_.send(Message::parked, [&](transport::Encoder encoder) { encode(encoder, parked); });
  }

  Result<void> save() {
    auto state = engine().save_node(node_);
    if (!state) return state.error();
    const transport::Saved saved{std::move(state->component), std::move(state->feeds)};
    return membership_.send(Message::saved, [&](transport::Encoder encoder) { encode(encoder, saved); });
  }

  void flush_rows() {
    for (auto& [owner, sender] : senders_) sender.flush();
  }
  engine::Engine& engine() { return *assembly_.engine; }

  Membership& membership_;
  const Network& network_;
  const OpenedLetter* letter_;  ///< that this process has come by, on another machine; null: here
  assembly::CheckedModel checked_{};
  assembly::Assembly assembly_{};
  std::map<std::string, RowSender> senders_;
  int node_ = -1;
  bool is_hosted_ = false;  ///< its components are nowhere else
  bool has_started_ = false;
  std::optional<transport::LinkSetup> link_setup_{};
  std::vector<lines::Link*> links_;
  std::optional<lines::TrackLog> tracks_{};  ///< where what comes through links is kept
  std::chrono::nanoseconds spin_{0};
};

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

namespace {

/// How this process takes part in its run.
struct Invited {
  transport::Invitation invitation{};
  std::unique_ptr<Network> network{};
  std::optional<OpenedLetter> letter{};
};

Result<std::unique_ptr<Network>> network_of(const std::string& card) {
  if (card.empty()) return std::make_unique<Network>();
  const auto parsed = NetworkCard::parse(card);
  if (!parsed) return Error{.code = ErrorCode::protocol, .message = "the run's card cannot be read"};
  return Network::join(*parsed);
}

/// By what the environment says, or by a letter on the standard input.
Result<Invited> read_invitation() {
  Invited invited;
  const auto join = [&](const std::string& card) -> Result<void> {
    auto network = network_of(card);
    if (!network) return network.error();
    invited.network = std::move(*network);
    return {};
  };
  const std::string source = participant::take_secret(kLetterVariable);
  if (source.empty()) {
    const auto token = transport::Token::parse(participant::take_secret("TIELINE_TOKEN"));
    if (auto joined = join(participant::take_secret(kCardVariable)); !joined) return joined.error();
    invited.invitation = {from_environment("TIELINE_MASTER"), token.value_or(transport::Token()),
                          from_environment("TIELINE_COMPONENT")};
    if (token && invited.network->factories().at(invited.invitation.address) != nullptr) return invited;
    return Error{.code = ErrorCode::bad_input,
                 .message = "a runner is started by `tieline run`, which sets the environment that it needs to join"};
  }
  std::ifstream file;
  if (source != "-") file.open(source, std::ios::binary);
  if (source != "-" && !file) {
    return Error{.code = ErrorCode::input_output,
                 .message = fmt::format("cannot read '{}', which the run has written: the folder of its results must be "
                                        "one that all hosts share",
                                        source)};
  }
  auto opened = OpenedLetter::read(source == "-" ? std::cin : file);
  if (!opened) return opened.error();
  invited.letter.emplace(std::move(*opened));
  const Letter& letter = invited.letter->letter();
  if (auto joined = join(letter.card); !joined) return joined.error();
  for (const auto& [name, value] : letter.environment) ::setenv(name.c_str(), value.c_str(), 1);
  invited.invitation = {letter.master, letter.token, letter.component};
  return invited;
}

}  // namespace

int run_as_runner() {
  if (const auto served = serve_verification()) return *served;
  auto invited = read_invitation();
  if (!invited) {
    fmt::print(stderr, "{}\n", invited.error().message);
    return kFailed;
  }
  auto membership = Membership::join(invited->invitation, Until::in(kJoinTime), invited->network->factories());
  if (!membership) {
    fmt::print(stderr, "cannot join the run: {}\n", membership.error().describe());
    return kFailed;
  }
  if (invited->letter && !participant::take_secret(kProbeVariable).empty()) {
    const auto answered = answer_probe(**membership, *invited->network, invited->letter->folder());
    if (!answered) fmt::print(stderr, "{}\n", answered.error().describe());
    return answered ? kDone : kFailed;
  }
  Runner runner(**membership, *invited->network, invited->letter ? &*invited->letter : nullptr);
  if (auto ran = runner.run(); !ran) {
    const Error& error = ran.error();
    fmt::print(stderr, "{}\n", error.describe());
    if (!(*membership)->stop_flag()) {
      (void)(*membership)->send(Message::failed, [&](transport::Encoder encoder) { encode(encoder, error); });
    }
    return kFailed;
  }
  return kDone;
}

}  // namespace tieline::processes
