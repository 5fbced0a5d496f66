#include "model/interfaces.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/signal_members.hpp"
#include "document/diagnostics.hpp"

namespace tieline::model {
namespace {

/// Whether it may have several members: a signal has numbers, an interface in space points.
bool has_members(const InterfaceInfo& interface) {
  return interface.domain == core::Domain::signal || interface.domain == core::Domain::mechanical3d;
}

const InterfaceInfo* find_whole(std::span<const InterfaceInfo> among, std::string_view name) {
  const auto found =
      std::find_if(among.begin(), among.end(), [&](const auto& interface) { return interface.name == name; });
  return found == among.end() ? nullptr : &*found;
}

}  // namespace

InterfacePart find_interface(std::span<const InterfaceInfo> among, std::string_view name) {
  if (const auto* whole = find_whole(among, name)) return {whole, 1, whole->size};
  for (const InterfaceInfo& interface : among) {
    if (!name.starts_with(interface.name)) continue;
    for (std::size_t k = 0; k < interface.numbers.size(); ++k) {
      if (interface.numbers[k].name == name) return {&interface, static_cast<int>(k) + 1, 1};
    }
  }
  const auto [base, member] = core::split_member(name);
  // What a nested model exports may be a member itself, and then has one member.
  const InterfacePart part = member > 0 ? find_interface(among, base) : InterfacePart{};
  if (!part || !has_members(*part.interface) || member > part.size) return {};
  return {part.interface, part.first + member - 1, 1};
}

bool overlap(const InterfacePart& a, const InterfacePart& b) {
  return a.interface == b.interface && a.first < b.first + b.size && b.first < a.first + a.size;
}

std::string describe_missing(std::span<const InterfaceInfo> among, std::string_view name, std::string_view component) {
  const auto [base, member] = core::split_member(name);
  if (const auto* whole = member > 0 ? find_whole(among, base) : nullptr) {
    if (!has_members(*whole))
      return fmt::format("'{}.{}' is neither a signal nor in space: only such interfaces have members", component,
                         base);
    return fmt::format("'{}.{}' is {}: it has no member {}", component, base,
                       whole->domain == core::Domain::signal ? fmt::format("a signal of size {}", whole->size)
                                                             : fmt::format("a set of {} points", whole->size),
                       member);
  }
  std::vector<std::string> names;
  for (const auto& interface : among) names.push_back(interface.name);
  return fmt::format("component '{}' has no interface '{}'{}", component, name, document::suggestion(name, names));
}

}  // namespace tieline::model
