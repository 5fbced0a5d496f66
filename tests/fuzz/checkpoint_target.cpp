#include <cstring>

#include "checkpoints/checkpoint.hpp"
#include "checkpoints/fingerprint.hpp"
#include "fuzz/targets.hpp"
#include "simulation/run.hpp"
#include "simulation/problems.hpp"

namespace tieline::fuzz {
namespace {

constexpr const char* kModel = R"(<CompositeModel name="pair"><Components>
  <Component name="a" kind="network"><Network><Mass name="m" mass="1"/><Ground name="g"/>
    <Spring name="s" from="g" to="m" stiffness="100"/><Interface name="end" node="m"/></Network></Component>
  <Component name="b" kind="multibody"><Multibody><Body name="m" mass="1" inertia="1, 1, 1"/></Multibody></Component>
  <Component name="c" kind="network"><Network><Mass name="m" mass="1"/><Interface name="end" node="m"/></Network>
  </Component></Components>
  <Connections><Connection name="l" from="a.end" to="c.end" coupling="line" stiffness="1e4" delay="1e-3"/></Connections>
  <Simulation stop="0.1"/></CompositeModel>)";

/// The bytes with the header that fits them, so that what they say is read.
std::string with_header(std::string_view payload) {
  const std::string sample = checkpoints::encode({});
  // Behind the header: its last two numbers are the length of the rest and its fingerprint.
  std::uint64_t length = 0, print = checkpoints::fingerprint(payload);
  std::size_t header = 0;
  do {
    ++header;
    std::memcpy(&length, sample.data() + header, sizeof length);
  } while (header + 2 * sizeof length + length != sample.size());
  length = payload.size();
  std::string bytes = sample.substr(0, header);
  bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
  bytes.append(reinterpret_cast<const char*>(&print), sizeof print);
  return bytes.append(payload);
}

}  // namespace

void read_checkpoint(std::string_view input) {
  if (input.empty()) return;
  const std::string_view bytes = input.substr(1);
  switch (static_cast<unsigned char>(input.front()) % 3) {
    case 0:
      (void)checkpoints::decode(bytes, "checkpoint.bin");
      return;
    case 1:
      if (const auto checkpoint = checkpoints::decode(with_header(bytes), "checkpoint.bin")) {
        if (!checkpoints::decode(checkpoints::encode(*checkpoint), "checkpoint.bin")) __builtin_trap();
      }
      return;
    default: {
      document::Diagnostics diagnostics;
      static simulation::Run run(document::Document::parse(kModel, "model.xml", diagnostics));
      try {
        run.restore(bytes);
      } catch (const RunError&) {
      }
    }
  }
}

}  // namespace tieline::fuzz
