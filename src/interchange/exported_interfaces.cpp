#include "interchange/exported_interfaces.hpp"

#include "core/domain.hpp"
#include "document/expression.hpp"

namespace tieline::interchange {

using document::Element;

std::optional<EndReference> parse_end(const std::string& text) {
  if (text.find_first_of("{}") != text.npos) return std::nullopt;
  const std::size_t dot = text.find('.');
  if (dot == text.npos || dot == 0) return std::nullopt;
  EndReference end{.component = text.substr(0, dot), .interface = text.substr(dot + 1)};
  if (end.interface.ends_with(']')) {
    const std::size_t bracket = end.interface.find('[');
    if (bracket == text.npos) return std::nullopt;
    const auto member =
        document::parse_number(std::string_view(end.interface).substr(bracket + 1, end.interface.size() - bracket - 2));
    if (!member || *member < 1.0 || *member > 1e6) return std::nullopt;
    end.member = static_cast<int>(*member);
    end.interface.resize(bracket);
  }
  if (end.interface.empty() || end.interface.find('.') != end.interface.npos) return std::nullopt;
  return end;
}

Element ExportedInterfaces::component(const Element& model, const std::string& level, const std::string& name) const {
  const auto [at, is_new] = components_.try_emplace(level);
  if (is_new) {
    for (const auto& child : model.child("Components").children()) {
      if (child.name() == "Component" || child.name() == "Alternative")
        at->second.try_emplace(child.get("name"), child);
    }
  }
  const auto found = at->second.find(name);
  return found != at->second.end() ? found->second : Element{};
}

ExportedInterfaces::ExportedInterfaces(const ExportRequest& request) {
  if (request.checked == nullptr || !request.interfaces) return;
  for (std::size_t i = 0; i < request.checked->components.size(); ++i) {
    const auto interfaces = request.interfaces(static_cast<int>(i));
    if (!interfaces.is_known) continue;
    List& list = known_[request.checked->components[i].name];
    for (const auto& info : interfaces.interfaces) {
      if (info.is_undeclared) continue;
      list.emplace_back(info.name, ExportedInterface{std::string(core::names_of(info.domain).domain),
                                                     std::string(core::name_of(info.causality)), info.size});
    }
  }
}

std::vector<std::pair<std::string, ExportedInterface>> ExportedInterfaces::all(const std::string& full_name) const {
  const auto found = known_.find(full_name);
  return found != known_.end() ? found->second : List{};
}

ExportedInterface ExportedInterfaces::find(const Element& model, const std::string& level, const std::string& name,
                                           const std::string& interface) const {
  if (const auto list = known_.find(level + name); list != known_.end()) {
    for (const auto& [each, known] : list->second) {
      if (each == interface) return known;
    }
  }
  Element described = component(model, level, name);
  if (!described.exists()) return {};
  if (described.name() == "Alternative") described = described.child("Component");
  if (const Element inner = described.child("CompositeModel"); inner.exists()) {
    for (const auto& offered : inner.child("Interfaces").children("Interface")) {
      if (offered.get("name") != interface) continue;
      const auto end = parse_end(offered.get("of"));
      return end ? find(inner, level + name + ".", end->component, end->interface) : ExportedInterface{};
    }
    return {};
  }
  for (const auto& declared : described.children("Interface")) {
    if (declared.get("name") != interface) continue;
    ExportedInterface known{.domain = declared.get("domain", "translation"), .causality = declared.get("causality")};
    if (known.domain == "signal" && known.causality.empty()) known.causality = "input";
    known.size = static_cast<int>(document::parse_number(declared.get("size", "1")).value_or(0.0));
    return known;
  }
  return {};
}

}  // namespace tieline::interchange
