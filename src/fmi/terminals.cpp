// terminalsAndIcons.xml: variables that belong together.

#include <array>
#include <fmt/format.h>

#include "fmi/description_parts.hpp"

namespace tieline::fmi {
namespace {

class TerminalReader {
 public:
  TerminalReader(const Description& description, Findings& findings) : description_(description), findings_(findings) {}

  /// Nesting is bounded by the XML reader.
  [[nodiscard]] Terminal read(pugi::xml_node node) const {
    static constexpr std::array<std::string_view, 4> kKnown{"name", "matchingRule", "terminalKind", "description"};
    static constexpr std::array<std::string_view, 5> kChildren{"TerminalMemberVariable", "TerminalStreamMemberVariable",
                                                               "Terminal", "TerminalGraphicalRepresentation",
                                                               "Annotations"};
    const ElementReader element(node, findings_);
    element.check_attributes(kKnown);
    element.check_children(kChildren);
    Terminal terminal;
    terminal.name = element.text("name");
    terminal.kind = element.text("terminalKind");
    terminal.matching_rule = element.text("matchingRule");
    terminal.description = element.text("description");
    if (terminal.name.empty()) findings_.warn(node, "terminals without a name", "a terminal has no name");
    for (const auto child : node.children("TerminalMemberVariable")) {
      const ElementReader member(child, findings_);
      const std::uint32_t variable = variable_of(child, terminal.name, member.text("variableName"));
      if (variable == kNone) continue;
      terminal.members.push_back(
          {variable, std::string(member.text("memberName")), std::string(member.text("variableKind"))});
    }
    for (const auto child : node.children("TerminalStreamMemberVariable")) {
      const ElementReader stream(child, findings_);
      terminal.streams.push_back({variable_of(child, terminal.name, stream.text("inStreamVariableName")),
                                  variable_of(child, terminal.name, stream.text("outStreamVariableName")),
                                  std::string(stream.text("inStreamMemberName")),
                                  std::string(stream.text("outStreamMemberName"))});
    }
    for (const auto child : node.children("Terminal")) terminal.terminals.push_back(read(child));
    return terminal;
  }

 private:
  [[nodiscard]] std::uint32_t variable_of(pugi::xml_node node, std::string_view terminal, std::string_view name) const {
    constexpr std::string_view kKind = "members of terminals that are not variables";
    const std::uint32_t index = description_.index_of(name);
    if (index == kNone) {
      findings_.warn(node, kKind,
                     fmt::format("terminal '{}': there is no variable '{}'{}; the member is ignored", terminal, name,
                                 findings_.is_shown(kKind) ? description_.suggestion(name) : ""));
    }
    return index;
  }

  const Description& description_;
  Findings& findings_;
};

}  // namespace

void read_terminals(std::string text, const std::string& file_name, Description& description,
                    document::Diagnostics& diagnostics) {
  // Terminals are a help, no need: what is wrong with them does not keep the FMU from being used.
  document::Diagnostics own;
  const auto source = XmlSource::parse(std::move(text), file_name, own);
  for (const auto& finding : own.all()) diagnostics.warning(finding.place, finding.message);
  if (!source) return;
  Findings findings(*source, diagnostics);
  const TerminalReader reader(description, findings);
  for (const auto node : source->root().child("Terminals").children("Terminal")) {
    description.terminals.push_back(reader.read(node));
  }
}

}  // namespace tieline::fmi
