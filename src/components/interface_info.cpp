#include "components/interface_info.hpp"

#include <limits>

#include "core/signal_members.hpp"

namespace tieline::components {

void add_signal(std::vector<InterfaceInfo>& interfaces, const std::string& name, core::Causality causality,
                std::optional<double> stated_start) {
  const auto [signal, member] = core::split_member(name);
  if (member > 1 && !interfaces.empty() && interfaces.back().name == signal) {
    ++interfaces.back().size;
  } else {
    interfaces.push_back({std::string(signal), core::Domain::signal, causality});
  }
  interfaces.back().starts.push_back(stated_start.value_or(std::numeric_limits<double>::quiet_NaN()));
}

std::vector<core::Port> ports_of(std::span<const InterfaceInfo> interfaces) {
  std::vector<core::Port> ports;
  for (const InterfaceInfo& interface : interfaces) {
    for (int member = 1; member <= interface.size; ++member) {
      core::Port& port = ports.emplace_back();
      port.name = core::member_name(interface.name, interface.size, member);
      port.domain = interface.domain;
      port.causality = interface.causality;
    }
  }
  return ports;
}

}  // namespace tieline::components
