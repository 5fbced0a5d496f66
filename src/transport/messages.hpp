#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/domain.hpp"
#include "core/ending.hpp"
#include "core/facts.hpp"
#include "core/result.hpp"
#include "core/sandbox_level.hpp"
#include "transport/bytes.hpp"
#include "transport/hello.hpp"
#include "transport/stream_factory.hpp"
#include "transport/token.hpp"

/// What master and participants send each other over a participant's control connection (docs/protocol.md,
/// "Messages"). Each message has an `encode` and a `decode`; what cannot be decoded is left to the caller to refuse.
namespace tieline::transport {

enum class Message : std::uint16_t {
  // The master's.
  setup = kFirstMessageType,  ///< Setup: what the model states about the participant
  begin,                      ///< Begin: your schedule, links and state
  go,                         ///< i64: compute up to this tick
  save,                       ///< send your state
  stop,                       ///< text: stop now, and why
  leave,                      ///< the run is over
  drive,                      ///< Drive: a stretch of time under given inputs
  put_back,                   ///< u64: go back to the state that you saved under this number
  keep,                       ///< u64: save your state under this number, and keep it
  start,                      ///< text: what comes in at the start; send what goes out
  end,                        ///< i64: the run ends at this tick; compute no window that begins there
  // The participant's.
  registered = 48,  ///< Registration
  ready,            ///< all links stand, the state is taken over
  parked,           ///< Parked: the tick of `go` is reached
  saved,            ///< Saved: its state
  rows,             ///< rows of a table of results
  log,              ///< u8 level, text
  beat,             ///< Beat: still alive
  failed,           ///< an error: it ends itself
  fact,             ///< ReportedFact: a fact for the report
  driven,           ///< Driven: the stretch is done
  done,             ///< what was asked for (put_back, keep) is done
  started,          ///< text: what goes out at the start
  ended,            ///< Ending: it asks to end the run
};

/// A parameter of the model for a tool.
struct SetupParameter {
  std::string name{}, text{}, unit{};
  double value = 0.0;  ///< NaN if the text is no number
};

/// An interface of a component as the model declares it, or as a tool registers it.
struct InterfaceMessage {
  std::string name{};
  core::Domain domain = core::Domain::translation;
  core::Causality causality = core::Causality::takes_force;
  std::uint32_t size = 1;
  bool is_connected = false;
  /// In space: where its connection ends, in the frame that the tool reports [m], as a quaternion w, x, y, z.
  std::array<double, 3> end_position{};
  std::array<double, 4> end_rotation{1};
};

struct Setup {
  std::string component{};
  std::string model_file{};
  double start = 0.0, stop = 0.0;  ///< [s]
  double largest_step = 0.0;       ///< [s]; 0: not stated
  bool exact_step = false;
  bool is_inquiry = false;            ///< interfaces are asked for, and nothing will run
  std::array<double, 3> position{};   ///< placement in the world [m]
  std::array<double, 4> rotation{1};  ///< quaternion w, x, y, z
  double beat_interval = 0.5;         ///< [s]
  double patience = 600.0;            ///< how long a wait for partners may take before it is an error [s]
  std::string transports{};           ///< that links of this run use: names, with blanks in between
  core::SandboxLevel sandbox{};       ///< that whoever runs the model demands at least, for runners
  std::string tracks_file{};          ///< that it will be asked to write, for runners; empty: none
  std::vector<SetupParameter> parameters{};
  std::vector<InterfaceMessage> interfaces{};
  std::vector<std::pair<std::string, std::string>> overrides{};  ///< of the model's parameters, for runners
  std::optional<double> save_interval{};                         ///< of the run, for runners [s]
};

/// How an interface moves or acts at the start: as many numbers as its domain and causality need.
struct RegisteredInterface {
  InterfaceMessage interface {};
  std::vector<double> first{};
};

struct Registration {
  std::vector<RegisteredInterface> interfaces{};
  bool can_save = false;
  std::string endpoint{};  ///< where it accepts links: addresses, with blanks in between
};

/// An end of a link. The attachments of its stream are not part of the message's bytes, and travel beside them.
struct LinkOffer {
  std::uint32_t number = 0;
  std::string partner{};  ///< name of the node at the other end
  std::int64_t partner_length = 1;
  Offer stream{};
};

/// A connection of a tool's interface.
struct ConnectionMessage {
  enum class Kind : std::uint8_t { line = 1, space, signal };
  Kind kind = Kind::line;
  std::string name{};
  std::uint32_t interface = 0;  ///< as registered
  std::uint32_t member = 0;     ///< of a signal of several numbers
  bool is_to = false;
  std::uint32_t link = 0;         ///< index into the offers
  double delay = 0.0;             ///< [s]
  double impedance = 0.0;         ///< [N s/m] and alike
  double damping = 0.0;           ///< alpha
  double rotation_impedance = 0;  ///< [N m s/rad]
  double rotation_damping = 0.0;
  std::array<bool, 3> free{};            ///< rotations that carry no torque
  double factor = 1.0, offset = 0.0;     ///< that the sender of a signal applies to its output
  double row_interval = 0.0;             ///< of the table of a line [s]
  std::vector<std::uint32_t> columns{};  ///< of that table
};

struct Begin {
  double start = 0.0, stop = 0.0, tick_length = 0.0;  ///< the grid [s]
  std::int64_t save_interval = 0;                     ///< [ticks]
  std::int64_t tick = 0;                              ///< where it stands
  std::int64_t length = 1;                            ///< of its windows [ticks]
  std::int64_t lookahead = 1;                         ///< how far beyond a window's start inputs are known [ticks]
  std::uint64_t spin = 0;                             ///< how long to look for partners before sleeping [ns]
  bool is_driven = false;                             ///< a group computes it step by step
  std::vector<LinkOffer> links{};
  std::vector<ConnectionMessage> connections{};  ///< for tools
  double row_interval = 0.0;                     ///< of the component's table, for tools [s]
  std::vector<std::uint32_t> columns{};          ///< of that table; none: nothing is recorded
  std::string tracks_file{};                     ///< where to keep what comes through links; empty: nowhere
  bool has_state = false;
  std::string state{};                ///< of the component
  std::string feeds{};                ///< of the prescribed values of its open ends
  std::vector<std::uint64_t> ends{};  ///< of its connections
};

struct Saved {
  std::string state{}, feeds{};
};

/// What became of one component.
struct Figures {
  std::string component{};
  std::string solver{};
  std::array<std::uint64_t, 9> counts{};  ///< windows, steps, rhs, Jacobians, failed convergence, failed error tests,
                                          ///< unsuccessful rhs, events, breaks
  std::array<double, 6> numbers{};        ///< order sum, seconds total, rhs, Jacobian, writing, waiting
  bool reports_energy = false;
  std::array<double, 8> energy{};  ///< as core::Energy
  std::vector<double> values{};    ///< of all its columns
  std::vector<core::Fact> facts{};
  std::array<double, 3> step_errors{};  ///< as core::StepErrors
};

struct Parked {
  std::int64_t tick = 0;
  std::vector<std::uint64_t> ends{};
  std::vector<Figures> figures{};
  std::uint64_t link_bytes = 0;  ///< sent over links
  std::string group{};           ///< energy accounts of a group, whose connections are nowhere else
};

struct Beat {
  std::int64_t tick = 0;
  std::string waits_for{};  ///< a partner; empty: it computes
};

struct Rows {
  std::string table{};
  std::uint32_t width = 0;  ///< numbers of a row, time included
  std::vector<double> numbers{};
};

/// A fact that a participant adds to the report.
struct ReportedFact {
  std::string name{}, text{};
  double value = 0.0;  ///< NaN if the text counts
  bool is_parameter = false;
};

struct Drive {
  double begin = 0.0, end = 0.0;  ///< [s]
  bool is_save_point = false;
  std::vector<std::uint64_t> inputs{};  ///< tracks of all ports that take something
};

struct Driven {
  std::vector<std::vector<double>> samples{};  ///< by port, eight numbers each
  std::array<std::uint64_t, 9> counts{};       ///< as those of `Figures`, so far
};

void encode(Encoder encoder, const Setup& message);
void encode(Encoder encoder, const Registration& message);
void encode(Encoder encoder, const Begin& message);
void encode(Encoder encoder, const Saved& message);
void encode(Encoder encoder, const Parked& message);
void encode(Encoder encoder, const Beat& message);
void encode(Encoder encoder, const Rows& message);
void encode(Encoder encoder, const ReportedFact& message);
void encode(Encoder encoder, const Drive& message);
void encode(Encoder encoder, const Driven& message);
void encode(Encoder encoder, const core::Error& error);
void encode(Encoder encoder, const core::Ending& ending);

/// Nothing if the payload is no such message.
template <class T>
[[nodiscard]] std::optional<T> decode(std::span<const std::byte> payload);

}  // namespace tieline::transport
