#include "model/reader.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/signal_members.hpp"
#include "document/grammar_names.hpp"
#include "model/model_reader.hpp"
#include "model/names.hpp"
#include "model/settings_reader.hpp"

namespace tieline::model {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDeepestModel = 50;        ///< models within models
constexpr std::size_t kMostModels = 50'000;      ///< nested models; more multiply from file to file
constexpr std::size_t kMostRepeats = 1'000'000;  ///< of one repeat; more is an expression gone wrong
constexpr std::size_t kMostParts = 2'000'000;    ///< components, nested models and connections
constexpr std::size_t kMostRounds = 4'000'000;   ///< of all repeats together, empty ones included

}  // namespace

ModelReader::ModelReader(std::span<const Override> overrides, std::span<const ComponentKind> kinds,
                         const DocumentSource& source, Diagnostics& diagnostics)
    : parameters_(overrides),
      kinds_(kinds),
      source_(source),
      grammar_(grammar(kinds)),
      document_diagnostics_(diagnostics),
      diagnostics_(&diagnostics),
      shelf_([this](const fs::path& file) { return load(file, "Library"); }) {}

std::optional<CompositeModel> ModelReader::run(const fs::path& file) {
  const auto document = load(file, "CompositeModel");
  if (!document) return std::nullopt;
  Level level{.root = document->root(), .file = file, .chain = {canonical(file)}};
  model_.file = file;
  model_.name = level.root.get("name");
  model_.description = level.root.child("Description").text();
  if (level.root.name() != "CompositeModel") return std::nullopt;

  Scope scope;
  parameters_.define_defaults({&level.root, 1}, scope, Scope(), "", *diagnostics_);
  read_root_parameters(level.root, scope);
  model_.simulation = read_simulation(level.root.child("Simulation"), scope, *diagnostics_);
  level.settings = model_.simulation.defaults;
  const Exports exports = read_level(level, scope);
  for (const auto& element : level.root.child("Interfaces").children("Interface")) {
    const auto found = exports.interfaces.find(element.get("name"));
    if (found != exports.interfaces.end()) model_.interfaces.push_back({found->first, found->second, element});
  }
  parameters_.report_unknown(*diagnostics_);
  note_used_interfaces();
  model_.files = std::move(files_);
  return std::move(model_);
}

void ModelReader::note_used_interfaces() {
  const auto note = [&](const Endpoint& end) {
    if (end.component < 0) return;
    model_.components[static_cast<std::size_t>(end.component)].used_interfaces.push_back(end.interface);
  };
  for (const Connection& connection : model_.connections) note(connection.from), note(connection.to);
  for (const OpenEnd& open : model_.open_ends) note(open.of);
  for (const auto& exported : model_.interfaces) note(exported.of);
}

fs::path ModelReader::canonical(const fs::path& file) {
  std::error_code failure;
  auto path = fs::weakly_canonical(file, failure);
  return failure ? file : path;
}

std::shared_ptr<const document::Document> ModelReader::load(const fs::path& file, std::string_view root) {
  const auto [found, is_new] = documents_.try_emplace({canonical(file), std::string(root)}, nullptr);
  if (!is_new) return found->second;
  found->second = source_(file, document_diagnostics_);
  files_.push_back(file);
  if (found->second) document::check_against(grammar_.rooted_at(root), found->second->root(), document_diagnostics_);
  return found->second;
}

void ModelReader::read_root_parameters(const Element& root, const Scope& scope) {
  for (const auto& element : root.child("Parameters").children("Parameter")) {
    const std::string name = element.get("name");
    Diagnostics already_reported;
    const auto value = scope.value_of(name, {}, already_reported);
    if (value) model_.parameters.push_back({name, *value, element.get("unit"), element.get("description")});
  }
}

Exports ModelReader::read_level(Level& level, const Scope& scope) {
  level.libraries.merge(shelf_.used_by(level.root, level.file, *diagnostics_));
  // A nested model's own are for when it is run by itself, as its <Simulation> is.
  if (const Element layers = level.root.child("Layers"); layers.exists() && level.prefix.empty())
    model_.layers = Layers{read_layers(layers, scope, *diagnostics_), layers};
  repeat(level.root.child("Components"), scope, [&](const Element& element, const Scope& inner) {
    if (element.name() == "Component") read_component(level, element, inner);
    if (element.name() == "Alternative") read_alternative(level, element, inner);
  });
  repeat(level.root.child("Connections"), scope, [&](const Element& element, const Scope& inner) {
    if (element.name() == "Connection") read_connection(level, element, inner);
    if (element.name() == "Open") read_open(level, element, inner);
  });
  if (const Element gluing = level.root.child("Gluing"); gluing.exists())
    model_.gluings.push_back({level.prefix, read_gluing(gluing, scope, *diagnostics_), gluing});
  resolve_attachments(level);
  Exports exports;
  for (const auto& element : level.root.child("Interfaces").children("Interface")) {
    const auto name = read_name(element, scope);
    const auto target = resolve(level, element, "of", scope);
    if (name && !target.left_out.empty()) {
      exports.left_out.insert(*name);
    } else if (!name || !target.end) {
      exports.is_complete = false;
    } else if (!exports.interfaces.try_emplace(*name, *target.end).second) {
      diagnostics_->error(element.place_of("name"), fmt::format("interface '{}' appears twice", *name));
    }
  }
  return exports;
}

template <class Read>
void ModelReader::repeat(const Element& parent, const Scope& scope, const Read& read) {
  for (const auto& element : parent.children()) {
    if (element.name() == "Repeat") {
      expand(element, scope, read);
    } else {
      if (is_full(element)) return;
      read(element, scope);
    }
  }
}

template <class Read>
void ModelReader::expand(const Element& element, const Scope& scope, const Read& read) {
  const auto count = read_optional(element, "count", scope, *diagnostics_);
  const std::string index = element.get("index");
  if (!count || !document::is_identifier(index)) return;
  if (*count < 0.0 || *count != std::floor(*count) || *count > static_cast<double>(kMostRepeats)) {
    diagnostics_->error(element.place_of("count"),
                        fmt::format("count = {} must be a whole number from 0 to {}", *count, kMostRepeats));
    return;
  }
  for (double i = 0.0; i < *count; i += 1.0) {
    if (++rounds_ > kMostRounds) {
      diagnostics_->error(element.place(),
                          fmt::format("the <Repeat> elements of the model repeat more than {} times", kMostRounds));
      return;
    }
    const auto errors_before = diagnostics_->error_count();
    Scope inner = scope.nested();
    inner.set(index, i);
    repeat(element, inner, read);
    // What is wrong once is wrong each time.
    if (diagnostics_->error_count() != errors_before) return;
  }
}

bool ModelReader::is_full(const Element& element) {
  if (++parts_ <= kMostParts) return false;
  diagnostics_->error(element.place(),
                      fmt::format("the model has more than {} components and connections", kMostParts));
  return true;
}

std::optional<std::string> ModelReader::read_name(const Element& element, const Scope& scope) {
  if (!element.has("name")) return std::nullopt;
  auto name = scope.interpolate(element.get("name"), element.place_of("name"), *diagnostics_);
  if (name && !is_name(*name)) {
    diagnostics_->error(element.place_of("name"),
                        fmt::format("'{}' is not a name (letters, digits, '_' and '-')", *name));
    return std::nullopt;
  }
  return name;
}

std::optional<fs::path> ModelReader::read_path(const Element& element, std::string_view attribute, const fs::path& file,
                                               const Scope& scope) {
  if (element.get(attribute).empty()) return std::nullopt;
  const auto text = scope.interpolate(element.get(attribute), element.place_of(attribute), *diagnostics_);
  if (!text) return std::nullopt;
  return resolve_path(file, *text);
}

bool ModelReader::is_enabled(const Element& element, const Scope& scope, std::string_view what,
                             const std::string& name) {
  if (read_optional(element, "enabled", scope, *diagnostics_).value_or(1.0) != 0.0) return true;
  diagnostics_->note(element.place_of("enabled"), fmt::format("{} '{}' is disabled", what, name));
  return false;
}

Exports ModelReader::read_nested(const Component& component, const Level& around) {
  Level level{.root = component.content,
              .file = component.content_file,
              .prefix = component.name + ".",
              .settings = component.settings,
              .chain = around.chain,
              .frame = component.frame};
  const Place place = component.declaration.place_of(component.type.empty() ? "file" : "type");
  // Where a model stands: in a file of its own, in a type, or in the model around it, which it cannot contain.
  fs::path origin = canonical(component.content_file);
  const bool is_of_type = !component.type.empty() && !component.has_own_file;
  if (is_of_type) origin /= component.type;
  const bool is_inline = !is_of_type && !component.has_own_file;
  if (!is_inline && std::find(level.chain.begin(), level.chain.end(), origin) != level.chain.end()) {
    std::string chain;
    for (const auto& part : level.chain) chain += part.filename().string() + " -> ";
    diagnostics_->error(place, fmt::format("the model contains itself: {}{}", chain, origin.filename().string()));
    return {.is_complete = false};
  }
  level.chain.push_back(is_inline ? fs::path("(inline)") : origin);
  if (++models_ > kMostModels) {
    diagnostics_->error(place, fmt::format("the model has more than {} nested models", kMostModels));
    return {.is_complete = false};
  }
  if (level.chain.size() > kDeepestModel) {
    diagnostics_->error(place, fmt::format("models are nested more than {} deep", kDeepestModel));
    return {.is_complete = false};
  }
  if (is_inline) level.libraries = around.libraries;
  return read_level(level, component.scope);
}

std::optional<CompositeModel> read_model(const std::filesystem::path& file, std::span<const Override> overrides,
                                         std::span<const ComponentKind> kinds, document::Diagnostics& diagnostics,
                                         const DocumentSource& source) {
  return ModelReader(overrides, kinds, source, diagnostics).run(file);
}

}  // namespace tieline::model
