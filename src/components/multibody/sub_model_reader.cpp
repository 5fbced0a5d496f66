// Systems within systems: a <SubModel> brings in all that a file holds, under its name and at its place.

#include <algorithm>
#include <fmt/format.h>

#include "components/multibody/grammar.hpp"
#include "components/multibody/system_reading.hpp"
#include "document/grammar.hpp"

namespace tieline::components {

using document::Element;
using document::Scope;

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kDeepest = 50;  ///< sub-models within sub-models
constexpr int kMostLevels = 10'000;   ///< of one system; more multiply from file to file

/// Whether a file, by its identity, may be read into a level; otherwise the reason is reported.
bool is_allowed_in(SystemReading& around, const Element& element, const fs::path& file) {
  const auto& chain = around.standing().files;
  if (const auto first = std::find(chain.begin(), chain.end(), file); first != chain.end()) {
    std::string chain_text;
    for (auto part = first; part != chain.end(); ++part) chain_text += part->filename().string() + " -> ";
    around.problem(element, "file",
                   fmt::format("the sub-model contains itself: {}{}", chain_text, file.filename().string()));
    return false;
  }
  if (chain.size() > kDeepest) {
    around.problem(element, "file", fmt::format("sub-models are nested more than {} deep", kDeepest));
    return false;
  }
  if (around.parts().level_count > kMostLevels) {
    around.problem(element, "file", fmt::format("the system has more than {} sub-models", kMostLevels));
    return false;
  }
  return true;
}

/// The content of a file, read and checked once; nothing if it cannot be used.
Element load(SystemReading& around, const Element& element, const fs::path& file, const fs::path& identity) {
  const auto [found, is_new] = around.parts().documents.try_emplace(identity, nullptr);
  if (is_new) {
    std::error_code failure;
    if (!fs::exists(file, failure)) {
      around.problem(element, "file", fmt::format("the file '{}' does not exist", file.string()));
      return {};
    }
    found->second = document::Document::load(file, around.diagnostics());
    if (found->second) document::check_against(multibody_grammar(), found->second->root(), around.diagnostics());
  }
  const bool is_system = found->second && found->second->root().name() == "Multibody";
  return is_system ? found->second->root() : Element();
}

/// The parameters that are given, computed with the names around the sub-model.
Scope given_parameters(SystemReading& around, const Element& element, const Element& content) {
  std::vector<std::string> known;
  for (const Element& parameters : content.children("Parameters")) {
    for (const Element& parameter : parameters.children("Parameter")) known.push_back(parameter.get("name"));
  }
  Scope scope = around.scope().nested();
  for (const Element& parameter : element.children("Parameter")) {
    const std::string name = parameter.get("name");
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      around.problem(
          parameter, "name",
          fmt::format("the sub-model declares no parameter '{}'{}", name, document::suggestion(name, known)));
    } else if (scope.defines(name)) {
      around.problem(parameter, "name", fmt::format("parameter '{}' appears twice", name));
    } else {
      scope.set(name, around.number(parameter, "value", kAnything));
    }
  }
  return scope;
}

/// What the sub-model's signal inputs are, as functions of the component's.
std::map<std::string, std::string> given_inputs(SystemReading& around, const Element& element, const Element& content) {
  std::vector<std::string> known;
  for (const Element& input : content.children("SignalInput")) known.push_back(input.get("name"));
  std::map<std::string, std::string> given;
  for (const Element& input : element.children("Input")) {
    const std::string name = around.text(input, "name");
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      around.problem(input, "name",
                     fmt::format("the sub-model has no signal input '{}'{}", name, document::suggestion(name, known)));
      continue;
    }
    const auto function = around.in_terms_of_component(input.get("value"), input.place_of("value"));
    // What cannot be used has been reported.
    if (!given.try_emplace(name, function.value_or("0")).second) {
      around.problem(input, "name", fmt::format("input '{}' appears twice", name));
    } else if (function && document::is_expression(*function)) {
      given[name] = function->substr(1, function->size() - 2);
    }
  }
  return given;
}

/// What a sub-model states about the whole system applies only where it is the whole system.
void compare_settings(SystemReading& inner) {
  const Element& content = inner.content();
  const MultibodySpec& spec = inner.spec();
  const auto differs = [&](std::string_view attribute) {
    if (attribute == "gravity") return inner.vector(content, attribute) != spec.gravity;
    if (attribute == "joints") return (content.get("joints") == "forces") != (spec.flavour == JointFlavour::forces);
    return inner.number(content, attribute, kAnything) !=
           (attribute == "joint_stiffness" ? spec.joint_stiffness : spec.joint_damping);
  };
  for (const std::string_view attribute : {"gravity", "joints", "joint_stiffness", "joint_damping"}) {
    if (!content.has(attribute) || !differs(attribute)) continue;
    inner.diagnostics().warning(
        content.place_of(attribute),
        fmt::format("as a sub-model, '{}' has the {} of the system that contains it, not its own",
                    inner.spec().frames[static_cast<std::size_t>(inner.ground())].name, attribute));
  }
}

}  // namespace

void read_sub_model(SystemReading& around, const Element& element) {
  const std::string name = around.declare(element);
  const core::Pose pose = around.placed(around.pose(element));
  if (!element.has("file")) return;  // reported by the check against the grammar
  const fs::path file = around.file(element, "file");
  const fs::path identity = identity_of(file);
  if (!is_allowed_in(around, element, identity)) return;
  const std::size_t errors = around.diagnostics().error_count();
  if (const Element content = load(around, element, file, identity); content.exists()) {
    Standing standing{.prefix = name + ".",
                      .pose = pose,
                      .inputs = given_inputs(around, element, content),
                      .files = around.standing().files,
                      .defaults = &around.defaults()};
    standing.files.push_back(identity);
    SystemReading inner(around.parts(), content, given_parameters(around, element, content), std::move(standing),
                        around.diagnostics());
    read_level(inner);
    compare_settings(inner);
    around.know_parts_of(inner);
  }
  if (around.diagnostics().error_count() == errors) return;
  around.diagnostics().note(element.place_of("file"),
                            fmt::format("the sub-model '{}', which has errors, is used here", name));
}

}  // namespace tieline::components
