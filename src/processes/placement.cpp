#include "processes/placement.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "core/name_pattern.hpp"

namespace tieline::processes {
namespace {

using document::Diagnostics;
using document::Place;

/// Where one component is to be, and who says so.
struct Wish {
  std::string host{};
  Place place{};
};

class Placing {
 public:
  Placing(const assembly::CheckedModel& checked, const model::Site& site, const PlacementWishes& wishes,
          Diagnostics& diagnostics)
      : checked_(checked), site_(site), wishes_(wishes), diagnostics_(diagnostics) {}

  std::vector<const model::Host*> place() {
    refuse_idle_wishes();
    std::vector<const model::Host*> hosts;
    for (const assembly::Node& node : checked_.nodes) hosts.push_back(place(node));
    return hosts;
  }

 private:
  [[nodiscard]] const model::Component& component(int index) const {
    return checked_.model.components[static_cast<std::size_t>(index)];
  }

  [[nodiscard]] std::optional<Wish> wish_for(const model::Component& component) const {
    for (const auto& [pattern, host] : wishes_) {
      if (core::matches_pattern(pattern, component.name)) return Wish{host, {"--place", 0, 0}};
    }
    if (!component.settings.host) return std::nullopt;
    return Wish{*component.settings.host, component.declaration.place()};
  }

  void refuse_idle_wishes() {
    std::vector<std::string> names;
    for (const model::Component& each : checked_.model.components) names.push_back(each.name);
    for (const auto& [pattern, host] : wishes_) {
      const std::string& wanted = pattern;
      const bool fits = std::any_of(names.begin(), names.end(),
                                    [&](const std::string& name) { return core::matches_pattern(wanted, name); });
      if (fits) continue;
      diagnostics_.error({"--place", 0, 0}, fmt::format("there is no component '{}' to be placed on '{}'{}", pattern,
                                                        host, document::suggestion(pattern, names)));
    }
  }

  const model::Host* find(const Wish& wish) {
    if (wish.host == model::kHere) return nullptr;
    const model::Host* const host = site_.find_host(wish.host);
    if (host != nullptr) return host;
    std::vector<std::string> known{std::string(model::kHere)};
    for (const model::Host& each : site_.hosts) known.push_back(each.name);
    const std::string where =
        site_.file.empty() ? "no site file was found" : fmt::format("{} does not describe it", site_.file.string());
    diagnostics_.error(wish.place, fmt::format("there is no host '{}': {}{}", wish.host, where,
                                               document::suggestion(wish.host, known)));
    return nullptr;
  }

  const model::Host* place(const assembly::Node& node) {
    std::optional<Wish> first;
    std::string owner;
    for (const int index : node.components) {
      const auto wish = wish_for(component(index));
      if (!wish) continue;
      if (!first) {
        first = wish;
        owner = component(index).name;
      } else if (first->host != wish->host) {
        diagnostics_.error(wish->place,
                           fmt::format("'{}' is to be on host '{}', but '{}', with which it is computed together, on "
                                       "'{}'; connect them by a line, or place them on one host",
                                       component(index).name, wish->host, owner, first->host));
      }
    }
    const model::Host* const host = first ? find(*first) : nullptr;
    if (host == nullptr) return nullptr;
    for (const int index : node.components) {
      if (!checked_.blueprints[static_cast<std::size_t>(index)]->is_program) continue;
      diagnostics_.error(first->place,
                         fmt::format("component '{}' is a program, which is started on this machine only; place it on "
                                     "'{}', and other components on '{}'",
                                     component(index).name, model::kHere, host->name));
    }
    return host;
  }

  const assembly::CheckedModel& checked_;
  const model::Site& site_;
  const PlacementWishes& wishes_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool names_hosts(const assembly::CheckedModel& checked, const PlacementWishes& wishes) {
  const auto& components = checked.model.components;
  return !wishes.empty() || std::any_of(components.begin(), components.end(), [](const model::Component& component) {
    return component.settings.host && *component.settings.host != model::kHere;
  });
}

std::vector<const model::Host*> place_nodes(const assembly::CheckedModel& checked, const model::Site& site,
                                            const PlacementWishes& wishes, Diagnostics& diagnostics) {
  return Placing(checked, site, wishes, diagnostics).place();
}

}  // namespace tieline::processes
