#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fmi/variable.hpp"

namespace tieline::fmi {

/// A variable in a terminal.
struct TerminalMember {
  std::uint32_t variable = kNone;  ///< index
  std::string name{};              ///< by which the two sides of a connection find each other; may be empty
  std::string kind{};              ///< "signal", "inflow", "outflow" or a vendor's own
};

/// A quantity that is carried along by a flow, seen for both directions.
struct TerminalStream {
  std::uint32_t inflow_variable = kNone;   ///< index
  std::uint32_t outflow_variable = kNone;  ///< index
  std::string inflow_name{};
  std::string outflow_name{};
};

/// Variables that belong together, as the FMU's vendor has grouped them: a flange, a plug, a bus.
struct Terminal {
  std::string name{};
  std::string kind{};           ///< what it is, in the words of its vendor; may be empty
  std::string matching_rule{};  ///< "plug", "bus", "sequence" or a vendor's own
  std::string description{};
  std::vector<TerminalMember> members{};
  std::vector<TerminalStream> streams{};
  std::vector<Terminal> terminals{};  ///< within this one
};

}  // namespace tieline::fmi
