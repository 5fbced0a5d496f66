#include "components/network/spec.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "components/own_origin.hpp"

namespace tieline::components {

double origin_of(const NetworkSpec& spec) {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (const NetworkNode& node : spec.nodes) {
    if (node.domain != core::Domain::translation || node.kind == NetworkNode::Kind::ground) continue;
    lowest = std::min(lowest, node.position);
    highest = std::max(highest, node.position);
  }
  return lowest <= highest ? own_origin(0.5 * (lowest + highest), highest - lowest) : 0.0;
}

NetworkSpec moved(NetworkSpec spec, double by) {
  for (NetworkNode& node : spec.nodes) {
    if (node.domain == core::Domain::translation) node.position += by;
  }
  return spec;
}

std::vector<InterfaceInfo> interfaces_of(const NetworkSpec& spec) {
  std::vector<InterfaceInfo> result;
  for (const NetworkInterface& interface : spec.interfaces) {
    InterfaceInfo info{.name = interface.name, .causality = interface.causality};
    if (interface.node >= 0) {
      const NetworkNode& node = spec.nodes[interface.node];
      info.domain = node.domain;
      info.part = node.name;
      if (node.kind == NetworkNode::Kind::ground) info.motion_obstacle = fmt::format("'{}' is ground", node.name);
      for (const NetworkMotion& motion : spec.motions) {
        if (motion.node == interface.node)
          info.motion_obstacle = fmt::format("it is already driven by '{}'", motion.name);
      }
    }
    result.push_back(std::move(info));
  }
  for (const NetworkSignalInput& input : spec.inputs) {
    add_signal(result, input.name, core::Causality::input,
               input.is_start_stated ? std::optional(input.start) : std::nullopt);
  }
  for (const NetworkSignalOutput& output : spec.outputs) {
    add_signal(result, output.name, core::Causality::output);
  }
  return result;
}

bool may_feed_through(const NetworkSpec& spec, const std::string& output) {
  using Quantity = NetworkSignalOutput::Quantity;
  const auto is_massless = [&](int node) { return node >= 0 && spec.nodes[node].kind == NetworkNode::Kind::massless; };
  for (const NetworkSignalOutput& candidate : spec.outputs) {
    if (candidate.name != output || candidate.index < 0) continue;
    if (candidate.quantity == Quantity::velocity) return is_massless(candidate.index);
    if (candidate.quantity == Quantity::position) {
      return std::any_of(spec.motions.begin(), spec.motions.end(), [&](const NetworkMotion& motion) {
        return motion.node == candidate.index && motion.position && !motion.position->is_constant();
      });
    }
    if (candidate.quantity == Quantity::force) {
      const NetworkElement& element = spec.elements[candidate.index];
      return is_massless(element.from) || is_massless(element.to) ||
             (element.opening && !element.opening->is_constant());
    }
    const NetworkDevice& device = spec.devices[candidate.index];
    return is_massless(device.from) || is_massless(device.to) || is_massless(device.shaft) ||
           is_massless(device.housing);
  }
  return false;
}

std::vector<int> undetermined_nodes(const NetworkSpec& spec, const std::vector<bool>& determines) {
  std::vector<bool> is_known(spec.nodes.size());
  for (std::size_t n = 0; n < spec.nodes.size(); ++n) is_known[n] = spec.nodes[n].kind != NetworkNode::Kind::massless;
  const auto mark = [&](int node) {
    if (node >= 0) is_known[node] = true;
  };
  for (const NetworkMotion& motion : spec.motions) mark(motion.node);
  for (std::size_t i = 0; i < spec.interfaces.size(); ++i) {
    if (determines[i]) mark(spec.interfaces[i].node);
  }
  using Ends = std::pair<int, int>;
  std::vector<Ends> damped;
  for (const NetworkElement& element : spec.elements) {
    const bool is_damper = element.kind == NetworkElement::Kind::damper && element.damping > 0.0;
    const bool is_orifice = element.kind == NetworkElement::Kind::orifice && !element.opening;
    if ((is_damper || is_orifice) && element.from >= 0 && element.to >= 0) damped.push_back({element.from, element.to});
  }
  for (const NetworkDevice& device : spec.devices) {
    const bool is_motor = device.kind == NetworkDevice::Kind::motor && device.inductance <= 0.0;
    if (!is_motor && device.kind != NetworkDevice::Kind::capacitor) continue;
    if (device.from >= 0 && device.to >= 0) damped.push_back({device.from, device.to});
    if (is_motor && device.shaft >= 0 && device.housing >= 0) damped.push_back({device.housing, device.shaft});
  }
  // What is damped to a known flow is known: repeat until nothing is added.
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const auto& [from, to] : damped) {
      if (is_known[from] == is_known[to]) continue;
      mark(from), mark(to);
      has_changed = true;
    }
  }
  std::vector<int> result;
  for (std::size_t n = 0; n < is_known.size(); ++n) {
    if (!is_known[n]) result.push_back(static_cast<int>(n));
  }
  return result;
}

}  // namespace tieline::components
