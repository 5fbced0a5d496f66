#include <cstring>
#include <vector>

#include "core/interface_set.hpp"
#include "fuzz/targets.hpp"
#include "lines/driven_inputs.hpp"
#include "lines/line.hpp"
#include "lines/link.hpp"
#include "lines/signal.hpp"
#include "lines/spatial_line.hpp"
#include "transport/messages.hpp"
#include "transport/socket_stream.hpp"

namespace tieline::fuzz {
namespace {

using namespace transport;

/// What can be read is written again as it was.
template <class T>
void read_message(std::span<const std::byte> payload) {
  const auto message = decode<T>(payload);
  if (!message) return;
  ByteBuffer again;
  encode(Encoder(again), *message);
  const auto bytes = again.bytes();
  if (bytes.size() != payload.size() || std::memcmp(bytes.data(), payload.data(), bytes.size()) != 0) __builtin_trap();
}

/// A line, a line in space and a signal between two nodes, of which the second is somewhere else.
struct Pair {
  Pair() {
    own.push_back({.name = "p"});
    other.push_back({.name = "p"});
    signal_ports.resize(2);
    for (auto* ports : {&own_space, &other_space}) *ports = core::SpatialInterface::make_ports("s");
    spatial[0].emplace("s", std::span<core::Port, core::SpatialInterface::kPorts>(own_space));
    spatial[1].emplace("s", std::span<core::Port, core::SpatialInterface::kPorts>(other_space));
    lines::LineSpec line_spec{.name = "line", .from_port = other.data(), .to_port = own.data()};
    line_spec.figures.law = {.impedance = 10.0, .delay = 1e-3, .damping = 0.2};
    line.emplace(line_spec, rule.grid);
    lines::SpatialLineSpec spec{.name = "space", .from = &*spatial[0], .to = &*spatial[1]};
    spec.figures.translation.law = spec.figures.rotation.law = {.impedance = 10.0, .delay = 1e-3};
    space.emplace(spec, rule.grid);
    signal.emplace(lines::SignalSpec{.from = {&signal_ports[0], 1}, .to = {&signal_ports[1], 1}, .delay = 1e-3},
                   rule.grid);
    for (lines::Connection* connection : all()) connection->set_capacities(8, 8);
  }

  std::array<lines::Connection*, 3> all() { return {&*line, &*space, &*signal}; }

  lines::WindowRule rule{core::TimeGrid(0.0, 1.0, 5e-4), 0};
  std::vector<core::Port> own, other, own_space, other_space, signal_ports;
  std::array<std::optional<core::SpatialInterface>, 2> spatial{};
  std::optional<lines::Line> line{};
  std::optional<lines::SpatialLine> space{};
  std::optional<lines::Signal> signal{};
};

/// The payloads of windows, one behind the other, each behind its size.
void receive_windows(std::span<const std::byte> input) {
  Pair pair;
  auto streams = SocketStream::pair();
  if (!streams) return;
  std::atomic<core::Tick> reached{0};
  lines::Link link(pair.rule, {.name = "partner", .length = 1}, reached, std::move(streams->first));
  link.carry(*pair.line, true);
  link.carry(*pair.space, false);
  link.carry(*pair.signal, true);
  FrameWriter writer;
  Decoder decoder(input);
  for (int k = 0; k < 4 && decoder.left() > 0; ++k) {
    writer.begin(lines::kWindowType).raw(decoder.bytes());
    if (!writer.end()) return;
  }
  (void)writer.flush(*streams->second);
  streams->second->close();
  while (true) {
    const core::Tick before = reached.load();
    const auto received = link.receive();
    if (reached.load() < before) __builtin_trap();
    if (!received) {
      if (received.error().component != "partner") __builtin_trap();
      return;
    }
  }
}

/// States of connections' ends, and inputs of a tool in a group.
void take_states(std::span<const std::byte> input) {
  std::vector<std::uint64_t> words(input.size() / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), input.data(), words.size() * sizeof(std::uint64_t));
  Pair pair;
  for (const bool is_to : {false, true}) {
    lines::StateReader reader(words);
    for (const lines::Section section : lines::kSections) {
      for (lines::Connection* connection : pair.all())
        connection->restore_end({section, is_to}, pair.rule.grid, reader);
    }
    reader(pair.own.front().incoming);
  }
  core::InterfaceSet interfaces({{.name = "a"}, {.name = "b", .domain = core::Domain::mechanical3d}});
  (void)lines::take_driven_inputs(words, interfaces);
}

}  // namespace

void read_messages(std::string_view input) {
  if (input.empty()) return;
  const std::span payload(reinterpret_cast<const std::byte*>(input.data()) + 1, input.size() - 1);
  switch (static_cast<unsigned char>(input.front()) % 14) {
    case 0:
      return read_message<Setup>(payload);
    case 1:
      return read_message<Registration>(payload);
    case 2:
      return read_message<Begin>(payload);
    case 3:
      return read_message<Saved>(payload);
    case 4:
      return read_message<Parked>(payload);
    case 5:
      return read_message<Beat>(payload);
    case 6:
      return read_message<Rows>(payload);
    case 7:
      return read_message<ReportedFact>(payload);
    case 8:
      return read_message<Drive>(payload);
    case 9:
      return read_message<Driven>(payload);
    case 10:
      return read_message<core::Error>(payload);
    case 11:
      return take_states(payload);
    default:
      return receive_windows(payload);
  }
}

}  // namespace tieline::fuzz
