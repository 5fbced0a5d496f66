// Reading and checking of whole models: what the model's own room cannot see, since it knows no kinds of components.

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "assembly/appearance.hpp"
#include "assembly/check_document.hpp"
#include "assembly/checked_model.hpp"
#include "assembly/signal_sums.hpp"
#include "components/reading.hpp"
#include "document/unbounded.hpp"
#include "interchange/importer.hpp"
#include "kinds/registry.hpp"
#include "model/grammar.hpp"
#include "model/placement.hpp"

namespace tieline::assembly {
namespace {

using document::Diagnostics;
using model::ComponentInterfaces;
using model::CompositeModel;
using Blueprints = std::vector<std::optional<kinds::Blueprint>>;
/// Interfaces of a model's components, by component and name.
using Ends = std::set<std::pair<int, std::string>>;

Ends connected_ends(const CompositeModel& model) {
  Ends ends;
  for (const model::Connection& connection : model.connections) {
    for (const model::Endpoint* end : {&connection.from, &connection.to}) ends.insert({end->component, end->interface});
  }
  return ends;
}

model::InterfaceSource source_of(const Blueprints& blueprints) {
  return [&](int index) -> ComponentInterfaces {
    const auto& blueprint = blueprints[static_cast<std::size_t>(index)];
    if (!blueprint) return {.is_known = false};
    return {.is_known = blueprint->is_complete, .interfaces = blueprint->interfaces};
  };
}

/// After their connections have been checked nobody else is to see them.
void drop_incomplete(Blueprints& blueprints) {
  for (auto& blueprint : blueprints) {
    if (blueprint && !blueprint->is_complete) blueprint.reset();
  }
}

/// The interfaces of a choice as the model around it sees them.
ComponentInterfaces interfaces_of(const model::Choice& choice, const Blueprints& blueprints) {
  const auto source = source_of(blueprints);
  if (choice.component >= 0) return source(choice.component);
  ComponentInterfaces seen{.is_known = choice.is_readable};
  for (const auto& [name, end] : choice.interfaces) {
    const auto known = source(end.component).interfaces;
    const auto part = model::find_interface(known, end.interface);
    if (!part) continue;
    seen.interfaces.push_back(*part.interface);
    seen.interfaces.back().name = name;
    seen.interfaces.back().size = part.size;
  }
  return seen;
}

/// Reports what only the connections show.
void check_use(const Blueprints& blueprints, const Ends& used, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < blueprints.size(); ++i) {
    if (!blueprints[i]) continue;
    std::vector<bool> is_connected;
    for (const auto& interface : blueprints[i]->interfaces) {
      is_connected.push_back(used.contains({static_cast<int>(i), interface.name}));
    }
    blueprints[i]->check(is_connected, diagnostics);
  }
}

/// What a component or its type declares must be so; what is declared of its place is taken over.
void compare_declared(const model::Component& component, std::vector<model::InterfaceInfo>& interfaces,
                      Diagnostics& diagnostics) {
  for (const auto& declared : component.declared_interfaces) {
    const auto found = std::find_if(interfaces.begin(), interfaces.end(),
                                    [&](const auto& interface) { return interface.name == declared.name; });
    const auto report = [&](const std::string& problem) {
      diagnostics.error(declared.declaration.place(), fmt::format("component '{}': {}", component.name, problem));
    };
    if (found == interfaces.end()) {
      std::vector<std::string> names;
      for (const auto& interface : interfaces) names.push_back(interface.name);
      report(fmt::format("its content has no interface '{}'{}", declared.name,
                         document::suggestion(declared.name, names)));
      continue;
    }
    found->pose = declared.pose;
    if (declared.declaration.has("start")) {
      if (found->causality == core::Causality::input) {
        found->starts = components::read_start(declared.declaration, found->size, component.scope, diagnostics);
      } else {
        diagnostics.error(declared.declaration.place_of("start"),
                          fmt::format("component '{}': only a signal input has a start", component.name));
      }
    }
    if (declared.declaration.has("domain") && found->domain != declared.domain) {
      report(fmt::format("'{}' is declared as {}, but is {}", declared.name, core::names_of(declared.domain).domain,
                         core::names_of(found->domain).domain));
    }
    if (declared.declaration.has("causality") && found->causality != declared.causality) {
      report(fmt::format("'{}' is declared to take {}, but takes {}", declared.name, core::name_of(declared.causality),
                         core::name_of(found->causality)));
    }
    if (declared.declaration.has("size") && found->size != declared.size) {
      report(fmt::format("'{}' is declared with size {}, but has size {}", declared.name, declared.size, found->size));
    }
  }
}

Blueprints read_components(const CompositeModel& model, bool has_errors, Diagnostics& diagnostics);

/// Checks a choice that is not taken as if it were, and reports its interfaces.
ComponentInterfaces check_apart(const model::Choice& choice, bool has_errors, Diagnostics& diagnostics) {
  Diagnostics found;
  Blueprints blueprints = read_components(*choice.part, has_errors, found);
  model::validate(*choice.part, source_of(blueprints), found, model::Extent::part);
  drop_incomplete(blueprints);
  Ends used = connected_ends(*choice.part);
  for (const auto& [name, end] : choice.interfaces) used.insert({end.component, end.interface});
  ComponentInterfaces seen = interfaces_of(choice, blueprints);
  if (choice.component >= 0) {
    for (const auto& interface : seen.interfaces) used.insert({choice.component, interface.name});
  }
  check_use(blueprints, used, found);
  diagnostics.take(found, false);  // which of its ends are free is of no interest while it is not used
  return seen;
}

/// Passes on what was found in a component; with a largest step nothing of its functions of time is missed unawares.
void take_findings(const model::Component& component, const Diagnostics& found, Diagnostics& diagnostics) {
  if (!component.settings.largest_step) return diagnostics.take(found, true);
  for (const document::Diagnostic& entry : found.all()) {
    if (entry.message.starts_with(document::kUnboundedWarning)) continue;
    if (entry.severity == document::Severity::error) diagnostics.error(entry.place, entry.message);
    if (entry.severity == document::Severity::warning) diagnostics.warning(entry.place, entry.message);
    if (entry.severity == document::Severity::note) diagnostics.note(entry.place, entry.message);
  }
  for (const auto& file : found.files_read()) diagnostics.reads(file);
}

/// Finds the errors that the grammar has found in the contents of components once more, for each component by itself:
/// its reader meets parts that state nothing, and must not build what it has read.
class ContentCheck {
 public:
  void check(const kinds::Kind& kind, const document::Element& content, Diagnostics& found) {
    if (!content.exists() || kind.description.grammar.rules.empty()) return;
    if (all_.rules.empty()) all_ = model::grammar(kinds::kind_descriptions());
    auto [rules, is_new] = of_kind_.try_emplace(kind.description.name);
    if (is_new) rules->second = all_.rooted_at(kind.description.grammar.rules.front().name);
    document::check_against(rules->second, content, found);
  }

 private:
  document::Grammar all_;
  std::map<std::string, document::Grammar> of_kind_;
};

/// One reader for all components of a kind.
class KindReaders {
 public:
  const kinds::ReadComponent& of(const kinds::Kind& kind) {
    auto [reader, is_new] = readers_.try_emplace(kind.description.name);
    if (is_new) reader->second = kind.read_for_model ? kind.read_for_model() : kind.read;
    return reader->second;
  }

 private:
  std::map<std::string, kinds::ReadComponent> readers_;
};

/// What the components hold; the choices of alternatives are compared with one another.
/// `has_errors`: something is wrong with the model, and it may be in any of its contents.
Blueprints read_components(const CompositeModel& model, bool has_errors, Diagnostics& diagnostics) {
  Blueprints blueprints;
  blueprints.reserve(model.components.size());
  ContentCheck contents;
  KindReaders readers;
  for (const model::Component& component : model.components) {
    const kinds::Kind* kind = kinds::find_kind(component.kind);
    const bool has_content =
        kind != nullptr &&
        (component.content.exists() || kind->description.grammar.rules.empty() || !kind->description.needs_content);
    Diagnostics found;
    if (has_errors && has_content) contents.check(*kind, component.content, found);
    blueprints.push_back(has_content ? readers.of(*kind)(component, found) : std::nullopt);
    take_findings(component, found, diagnostics);
    if (blueprints.back() && blueprints.back()->is_complete)
      compare_declared(component, blueprints.back()->interfaces, diagnostics);
  }
  for (const model::Alternative& alternative : model.alternatives) {
    std::vector<ComponentInterfaces> seen;
    for (const model::Choice& choice : alternative.choices) {
      seen.push_back(choice.part ? check_apart(choice, has_errors, diagnostics) : interfaces_of(choice, blueprints));
    }
    model::compare_choices(alternative, seen, diagnostics);
  }
  return blueprints;
}

/// Why a connection cannot end at another frame of an interface; empty: it can.
std::string obstacle_of_end_frame(const CheckedModel& checked, const kinds::Blueprint& blueprint,
                                  const model::Endpoint& end) {
  const auto part = model::find_interface(blueprint.interfaces, end.interface);
  if (part && part.interface->size > 1) return "it is a set of points, each of which is somewhere";
  if (!blueprint.end_frame_obstacle) {
    return "expected an interface of a component of kind multibody, fmu or process, or an interface (of a structure: a "
           "node) there";
  }
  const auto joins = [&](const model::Connection& connection) {
    return (connection.from.component == end.component && connection.from.interface == end.interface) ||
           (connection.to.component == end.component && connection.to.interface == end.interface);
  };
  const auto count = std::count_if(checked.model.connections.begin(), checked.model.connections.end(), joins);
  if (count > 1) {
    return fmt::format(
        "{} connections meet at this interface, and all of them would end there; expected an interface "
        "of its own",
        count);
  }
  return blueprint.end_frame_obstacle(end.interface);
}

/// Connections in space that join an interface at another frame: the interface is there then.
void move_ends(CheckedModel& checked, Diagnostics& diagnostics) {
  for (const model::Connection& connection : checked.model.connections) {
    for (const bool is_to : {false, true}) {
      const model::Endpoint& end = is_to ? connection.to : connection.from;
      const auto& frame = connection.end_frames[is_to];
      if (!frame || end.component < 0 || connection.coupling == model::Coupling::signal) continue;
      auto& blueprint = checked.blueprints[static_cast<std::size_t>(end.component)];
      if (!blueprint) continue;
      const auto interface = std::find_if(blueprint->interfaces.begin(), blueprint->interfaces.end(),
                                          [&](const auto& known) { return known.name == end.interface; });
      const auto part = model::find_interface(blueprint->interfaces, end.interface);
      if (!part || part.interface->domain != core::Domain::mechanical3d) continue;
      const std::string obstacle = obstacle_of_end_frame(checked, *blueprint, end);
      if (!obstacle.empty()) {
        const std::string attribute =
            std::string(is_to ? "to" : "from") +
            (connection.declaration.has(is_to ? "to_position" : "from_position") ? "_position" : "_angles");
        diagnostics.error(
            connection.declaration.place_of(attribute),
            fmt::format("'{}' cannot be joined at another frame: {}", checked.model.describe(end), obstacle));
        continue;
      }
      interface->pose = core::compose(interface->pose, *frame);
      blueprint->end_frames.push_back({end.interface, *frame});
    }
  }
}

/// What a model is read from: its outermost document, and others as it names them.
class ModelFiles {
 public:
  ModelFiles(std::filesystem::path file, document::DocumentCache* documents)
      : file_(std::move(file)), documents_(documents) {}

  /// Reads the model and all that it names, the outermost document being known, and checks it.
  std::optional<CheckedModel> check(const std::shared_ptr<const document::Document>& outermost,
                                    std::span<const model::Override> overrides, Diagnostics& diagnostics) {
    const auto load = [&](const std::filesystem::path& path, Diagnostics& problems) {
      return path == file_ ? outermost : load_part(path, problems);
    };
    auto model = model::read_model(file_, overrides, descriptions_, diagnostics, load);
    if (!model) return std::nullopt;
    // Lists that have grown element by element have up to as much room again, and live as long as the run.
    model->components.shrink_to_fit(), model->connections.shrink_to_fit(), model->frames.shrink_to_fit();
    CheckedModel checked{.model = std::move(*model), .owned_files = std::move(owned_files_)};
    checked.blueprints = read_components(checked.model, diagnostics.has_errors(), diagnostics);
    insert_sums(checked, diagnostics);
    const auto interfaces = source_of(checked.blueprints);
    model::validate(checked.model, interfaces, diagnostics);
    drop_incomplete(checked.blueprints);
    move_ends(checked, diagnostics);
    model::place_components(checked.model, interfaces, diagnostics);
    model::check_coincidence(checked.model, interfaces, diagnostics);
    work_out(checked, diagnostics);
    Ends determined = connected_ends(checked.model);
    for (const PrescribedEnd& end : checked.prescribed_ends) {
      if (end.gives_motion) determined.insert({end.of.component, end.of.interface});
    }
    check_use(checked.blueprints, determined, diagnostics);
    check_appearance(checked, diagnostics);
    return checked;
  }

  /// Reads a model's file by the importer that recognises it, and checks it.
  std::optional<CheckedModel> check(std::span<const model::Override> overrides, Diagnostics& diagnostics) {
    interchange::Source source(file_, documents_);
    const auto imported =
        interchange::import_model(source, {.kinds = descriptions_, .overrides = overrides}, diagnostics);
    if (!imported) return std::nullopt;
    owned_files_.push_back(imported->files);
    return check(imported->document, imported->overrides, diagnostics);
  }

 private:
  std::shared_ptr<const document::Document> load_part(const std::filesystem::path& path, Diagnostics& problems) {
    interchange::Source source(path, documents_);
    const auto part = interchange::import_part(source, descriptions_, problems);
    if (part && part->files) owned_files_.push_back(part->files);
    return part ? part->document : nullptr;
  }

  std::filesystem::path file_;
  document::DocumentCache* documents_;
  std::vector<model::ComponentKind> descriptions_ = kinds::kind_descriptions();
  std::vector<std::shared_ptr<const void>> owned_files_{};
};

}  // namespace

std::optional<CheckedModel> check_model(const std::filesystem::path& file, std::span<const model::Override> overrides,
                                        document::Diagnostics& diagnostics, document::DocumentCache* documents) {
  return ModelFiles(file, documents).check(overrides, diagnostics);
}

std::optional<CheckedModel> check_document(const std::shared_ptr<const document::Document>& document,
                                           std::span<const model::Override> overrides, Diagnostics& diagnostics,
                                           document::DocumentCache* documents) {
  return ModelFiles(document->file(), documents).check(document, overrides, diagnostics);
}

}  // namespace tieline::assembly
