#include "interchange/ssp_routes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fmi/values.hpp"
#include "interchange/ssp_bound_values.hpp"
#include "interchange/ssp_xml.hpp"

namespace tieline::interchange::ssp {
namespace {

using document::Diagnostics;
using document::Place;
using Indices = std::vector<std::uint64_t>;

// Connections one after the other: more than systems can be nested, up and down, with dictionaries between.
constexpr std::size_t kLongestChain = 500;

/// A connector, seen from the system that its connections are in.
struct End {
  const Part* part = nullptr;  ///< null: the system itself
  std::string connector{};
  Indices indices{};
};

/// What a value is at a connector.
struct Meaning {
  std::optional<Unit> unit{};
  bool is_stated = false;  ///< the unit, in the SSP itself rather than in an FMU
  std::shared_ptr<const Enumeration> enumeration{};
};

/// A connection whose direction is known.
struct Directed {
  const System* system = nullptr;
  const Connection* connection = nullptr;
  End source{}, sink{};
};

/// Connections that lead to one connector.
using Incoming = std::vector<const Directed*>;

const fmi::Variable* variable_of(const Part& part, const std::string& name) {
  if (!part.fmu) return nullptr;
  const std::string& own = part.variable_of(name);
  const auto scalars = part.fmu->scalars_of(own);
  const std::uint32_t index = scalars.empty() ? part.fmu->index_of(own) : scalars.front().variable;
  return index != fmi::kNone ? &part.fmu->variables[index] : nullptr;
}

class RouteFinder {
 public:
  RouteFinder(const Part& root, Diagnostics& diagnostics)
      : root_(root), diagnostics_(diagnostics), values_(root, diagnostics) {}

  Routes find() {
    collect(*root_.system);
    index();
    add_starts(root_);
    for (const auto& directed : directed_) {
      const bool is_variable = directed->sink.part != nullptr && directed->sink.part->what == Part::What::fmu;
      const bool is_outlet = directed->sink.part == nullptr && directed->system == root_.system.get();
      if (!is_variable && !is_outlet) continue;
      Chain chain{.sink = directed->sink};
      follow(*directed, chain);
    }
    return std::move(routes_);
  }

 private:
  /// The connections from a sink backwards, so far.
  struct Chain {
    End sink{};
    std::vector<const Directed*> links{};
    std::map<const System*, std::string> passed{};
    Indices rest{};  ///< of the connector that is looked for; empty: all of it
  };

  // Directions.

  enum class Flow { out, in, either };

  static Flow flow_of(Kind kind, bool is_own) {
    switch (kind) {
      case Kind::input:
      case Kind::parameter:
      case Kind::structural_parameter:
        return is_own ? Flow::out : Flow::in;
      case Kind::inout:
      case Kind::unspecified:
        return Flow::either;
      default:
        return is_own ? Flow::in : Flow::out;
    }
  }

  /// The kind of a connector that a connection names; nothing, with an error, where it is not there.
  std::optional<Kind> kind_at(const System& system, const Part* part, const std::string& connector,
                              const Place& place) {
    const Part& owner = part != nullptr ? *part : *system.self;
    if (const Connector* const found = owner.find(connector)) return found->kind;
    if (owner.what == Part::What::fmu) {
      const fmi::Variable* const variable = variable_of(owner, connector);
      if (variable == nullptr) {
        if (owner.fmu) {
          diagnostics_.error(place, fmt::format("'{}' has no connector '{}', and its FMU no such variable{}",
                                                owner.name, connector, owner.fmu->suggestion(connector)));
        }
        return std::nullopt;
      }
      diagnostics_.warning(place, fmt::format("'{}' does not declare the connector '{}'; the variable of the FMU is "
                                              "connected",
                                              owner.name, connector));
      if (variable->causality == fmi::Causality::input) return Kind::input;
      if (variable->causality == fmi::Causality::parameter) return Kind::parameter;
      if (variable->causality == fmi::Causality::structural_parameter) return Kind::structural_parameter;
      return Kind::output;
    }
    if (owner.what == Part::What::reference && owner.dictionary && owner.dictionary->entries.contains(connector)) {
      return Kind::inout;
    }
    // A source that cannot be read has been reported.
    if (owner.what == Part::What::nothing && owner.declaration.has("source")) return std::nullopt;
    std::vector<std::string> known;
    for (const Connector& each : owner.connectors) known.push_back(each.name);
    diagnostics_.error(place, fmt::format("'{}' has no connector '{}'{}", owner.name, connector,
                                          document::suggestion(connector, known)));
    return std::nullopt;
  }

  const Part* part_named(const System& system, const std::string& name, const Place& place, bool& is_known) {
    is_known = true;
    if (name.empty()) return nullptr;
    const auto found = system.by_name.find(name);
    if (found != system.by_name.end()) return found->second;
    is_known = false;
    std::vector<std::string> known;
    for (const auto& element : system.elements) known.push_back(element->name);
    diagnostics_.error(place, fmt::format("system '{}' has no element '{}'{}", system.self->name, name,
                                          document::suggestion(name, known)));
    return nullptr;
  }

  void collect(const System& system) {
    for (const Connection& connection : system.connections) direct(system, connection);
    for (const auto& element : system.elements) {
      if (element->system) collect(*element->system);
    }
  }

  void direct(const System& system, const Connection& connection) {
    const auto& xml = connection.element;
    bool knows_start = true, knows_end = true;
    const Part* const start = part_named(system, connection.start_element, xml.place_of("startElement"), knows_start);
    const Part* const end = part_named(system, connection.end_element, xml.place_of("endElement"), knows_end);
    const auto stated_start =
        knows_start ? kind_at(system, start, connection.start_connector, xml.place_of("startConnector")) : std::nullopt;
    const auto stated_end =
        knows_end ? kind_at(system, end, connection.end_connector, xml.place_of("endConnector")) : std::nullopt;
    if (!stated_start || !stated_end) return;
    const Kind start_kind = stated_start.value_or(Kind::unspecified), end_kind = stated_end.value_or(Kind::unspecified);
    if (start == end && connection.start_connector == connection.end_connector &&
        connection.start_indices == connection.end_indices) {
      diagnostics_.warning(xml.place(), fmt::format("{} is connected to itself, which has no effect",
                                                    shown_end(system, start, connection.start_connector)));
      return;
    }
    const Flow from = flow_of(start_kind, start == nullptr), to = flow_of(end_kind, end == nullptr);
    if (from == to && from != Flow::either) {
      diagnostics_.error(xml.place(), fmt::format("{} {} and {} {} cannot be connected: both {}", name_of(start_kind),
                                                  shown_end(system, start, connection.start_connector),
                                                  name_of(end_kind), shown_end(system, end, connection.end_connector),
                                                  from == Flow::out ? "give a value" : "take one"));
      return;
    }
    const bool is_reversed = from == Flow::in || to == Flow::out;
    End first{start, connection.start_connector, connection.start_indices};
    End second{end, connection.end_connector, connection.end_indices};
    if (is_reversed) std::swap(first, second);
    directed_.push_back(
        std::make_unique<Directed>(Directed{&system, &connection, std::move(first), std::move(second)}));
  }

  static std::string shown_end(const System& system, const Part* part, const std::string& connector) {
    return fmt::format("'{}.{}'", part != nullptr ? part->name : system.self->name, connector);
  }

  // Where connections lead.

  static bool overlap(const Indices& a, const Indices& b) { return a.empty() || b.empty() || a == b; }

  void index() {
    for (const auto& directed : directed_) {
      const End& sink = directed->sink;
      Incoming* incoming = nullptr;
      if (sink.part != nullptr && sink.part->what == Part::What::reference) {
        if (!sink.part->dictionary) continue;
        incoming = &writers_[sink.part->dictionary.get()][sink.connector];
      } else {
        incoming =
            &incoming_[sink.part != nullptr ? static_cast<const void*>(sink.part) : directed->system][sink.connector];
      }
      for (const Directed* other : *incoming) {
        if (!overlap(other->sink.indices, sink.indices)) continue;
        diagnostics_.error(directed->connection->element.place(),
                           fmt::format("{} has two sources: {} here, and {} at {}",
                                       shown_end(*directed->system, sink.part, sink.connector),
                                       shown_end(*directed->system, directed->source.part, directed->source.connector),
                                       shown_end(*other->system, other->source.part, other->source.connector),
                                       shown(other->connection->element.place())));
      }
      incoming->push_back(directed.get());
    }
  }

  template <class Map, class Key>
  static Incoming incoming_at(const Map& map, const Key& key, const std::string& connector) {
    const auto at = map.find(key);
    if (at == map.end()) return {};
    const auto found = at->second.find(connector);
    return found != at->second.end() ? found->second : Incoming();
  }

  /// Goes on behind a connection, towards the source.
  void follow(const Directed& link, Chain chain) {
    if (chain.links.size() > kLongestChain ||
        std::find(chain.links.begin(), chain.links.end(), &link) != chain.links.end()) {
      diagnostics_.error(link.connection->element.place(),
                         "these connections form a circle without any component in it");
      return;
    }
    chain.links.push_back(&link);
    const End& source = link.source;
    chain.rest = source.indices.empty() ? chain.rest : source.indices;
    if (source.part == nullptr) return leave(*link.system, source, std::move(chain));
    switch (source.part->what) {
      case Part::What::fmu:
        return finish(source, std::move(chain));
      case Part::What::system:
        chain.passed[source.part->system.get()] = source.connector;
        return search(incoming_at(incoming_, static_cast<const void*>(source.part->system.get()), source.connector),
                      source.part, source.connector, std::move(chain));
      case Part::What::reference:
        if (!source.part->dictionary) return;
        return search(incoming_at(writers_, source.part->dictionary.get(), source.connector), nullptr, "",
                      std::move(chain));
      case Part::What::nothing:
        if (const auto value = values_.of(*source.part, source.connector)) {
          assign(*value, *source.part, source.connector, chain);
        }
        return;
    }
  }

  /// Out of a system through its own connector.
  void leave(const System& system, const End& source, Chain chain) {
    chain.passed[&system] = source.connector;
    if (system.self->parent != nullptr) {
      return search(incoming_at(incoming_, static_cast<const void*>(system.self), source.connector), system.self,
                    source.connector, std::move(chain));
    }
    if (const auto value = values_.of(root_, source.connector)) return assign(*value, root_, source.connector, chain);
    if (chain.sink.part == nullptr || chain.sink.part->what != Part::What::fmu) return;
    const Connector* const connector = root_.find(source.connector);
    if (connector == nullptr || connector->kind != Kind::input) return;
    // A text can be given as a value of the connector; it is no signal.
    const fmi::Variable* const to = variable_of(*chain.sink.part, chain.sink.connector);
    if (to == nullptr || !is_carried(*chain.sink.part->fmu, *to)) return;
    Route route = route_to(chain);
    route.source_variable = source.connector;
    if (route.transformation.is_identity()) routes_.routes.push_back(std::move(route));
  }

  /// `owner`: whose connector may have a value of its own where nothing leads to it.
  void search(const Incoming& incoming, const Part* owner, const std::string& connector, Chain chain) {
    if (incoming.empty()) {
      const auto value = owner != nullptr ? values_.of(*owner, connector) : nullptr;
      if (value) assign(*value, *owner, connector, chain);
      return;
    }
    for (const Directed* next : incoming) {
      const Indices& indices = next->sink.indices;
      if (!indices.empty() && !chain.rest.empty() && indices != chain.rest) continue;
      Chain further = chain;
      // One element of what the sink takes as a whole.
      if (!indices.empty() && chain.rest.empty()) further.sink.indices = indices;
      if (!indices.empty()) further.rest.clear();
      follow(*next, std::move(further));
    }
  }

  // Values and transformations.

  static Meaning meaning_of(const Part& part, const std::string& connector) {
    Meaning meaning;
    if (part.what == Part::What::reference && part.dictionary) {
      if (const auto entry = part.dictionary->entries.find(connector); entry != part.dictionary->entries.end()) {
        meaning = {entry->second.unit, entry->second.unit.has_value(), entry->second.enumeration};
      }
    }
    if (const Connector* const found = part.find(connector)) {
      if (found->type.unit) {
        meaning.unit = found->type.unit;
        meaning.is_stated = true;
      }
      if (found->type.enumeration) meaning.enumeration = found->type.enumeration;
    }
    if (part.what != Part::What::fmu) return meaning;
    const fmi::Variable* const variable = variable_of(part, connector);
    if (variable == nullptr) return meaning;
    if (!meaning.unit && !variable->unit.empty()) {
      const fmi::Unit* const unit = part.fmu->unit_named(variable->unit);
      if (unit != nullptr && unit->base) meaning.unit = Unit{unit->name, *unit->base};
    }
    if (auto enumeration = enumeration_of(*part.fmu, *variable)) meaning.enumeration = std::move(enumeration);
    return meaning;
  }

  static Meaning meaning_at(const Directed& link, const End& end) {
    return meaning_of(end.part != nullptr ? *end.part : *link.system->self, end.connector);
  }

  /// A factor between different quantities may have a unit of its own, as a stiffness has. FMUs may state units that
  /// are not meant: what is wrong by them alone is a warning.
  void convert(const Meaning& now, const Meaning& to, const StatedTransformation& stated, const Place& place,
               Transformation& all) {
    // One name means one unit, even if files define it differently.
    if (now.unit->name == to.unit->name) return;
    if (const auto between = conversion(now.unit->base, to.unit->base)) {
      all.add_linear(between->factor, between->offset);
      return;
    }
    if (stated.kind == StatedTransformation::Kind::linear) return;
    const std::string text = fmt::format("unit '{}' cannot be converted to '{}': they measure different quantities",
                                         now.unit->name, to.unit->name);
    if (now.is_stated && to.is_stated) {
      diagnostics_.error(place, text);
    } else {
      diagnostics_.warning(place, text + "; the number is passed as it is");
    }
  }

  /// One step of a value: conversion of its unit, then what is stated.
  void add(const Meaning& to, bool keeps_unit, const StatedTransformation& stated, const Place& place, Meaning& now,
           Transformation& all) {
    if (!keeps_unit && now.unit && to.unit) convert(now, to, stated, place, all);
    add_stated(stated, now.enumeration.get(), to.enumeration ? to.enumeration.get() : now.enumeration.get(), all,
               diagnostics_);
    const bool is_changed = keeps_unit || stated.kind != StatedTransformation::Kind::none;
    if (to.unit || is_changed) now.is_stated = to.is_stated;
    now.unit = to.unit ? to.unit : is_changed ? std::nullopt : now.unit;
    if (to.enumeration) now.enumeration = to.enumeration;
  }

  void add_links(const Chain& chain, Meaning& now, Transformation& all) {
    for (auto link = chain.links.rbegin(); link != chain.links.rend(); ++link) {
      const Meaning source = meaning_at(**link, (*link)->source);
      if (!now.unit) {
        now.unit = source.unit;
        now.is_stated = source.is_stated;
      }
      if (!now.enumeration) now.enumeration = source.enumeration;
      add(meaning_at(**link, (*link)->sink), (*link)->connection->keeps_unit, (*link)->connection->transformation,
          (*link)->connection->element.place(), now, all);
    }
  }

  Route route_to(const Chain& chain) {
    Route route{.place = chain.links.front()->connection->element.place(), .passed = chain.passed};
    Meaning now;
    add_links(chain, now, route.transformation);
    const bool is_variable = chain.sink.part != nullptr && chain.sink.part->what == Part::What::fmu;
    route.sink = is_variable ? chain.sink.part : nullptr;
    route.sink_variable = is_variable ? element_name(*chain.sink.part, chain.sink.connector, chain.sink.indices, route)
                                      : chain.sink.connector;
    return route;
  }

  /// "a", or "a[3]" for one element, counted row by row.
  std::string element_name(const Part& part, const std::string& connector, const Indices& indices, Route& route) {
    const std::string& name = part.variable_of(connector);
    const fmi::Variable* const variable = variable_of(part, connector);
    const std::size_t size = part.fmu ? part.fmu->scalars_of(name).size() : 1;
    if (indices.empty() || variable == nullptr) {
      route.size = std::max<std::size_t>(size, 1);
      return name;
    }
    route.size = 1;
    std::uint64_t flat = 0;
    bool fits = indices.size() == std::max<std::size_t>(variable->dimensions.size(), 1);
    for (std::size_t k = 0; fits && k < indices.size(); ++k) {
      const std::uint64_t extent = variable->dimensions.empty() ? size : variable->dimensions[k].size;
      fits = indices[k] <= extent;
      flat = flat * extent + indices[k] - 1;
    }
    if (!fits) {
      diagnostics_.error(route.place,
                         fmt::format("'{}.{}' has no element [{}]", part.name, name, fmt::join(indices, ",")));
      return name;
    }
    return fmt::format("{}[{}]", name, flat + 1);
  }

  /// A value that does not change in time: a start value.
  void assign(const Value& value, const Part& owner, const std::string& connector, const Chain& chain) {
    const End& sink = chain.sink;
    if (sink.part == nullptr || sink.part->what != Part::What::fmu) return;
    Meaning now{value.type.unit, true, value.type.enumeration};
    Transformation all;
    add(meaning_of(owner, connector), value.keeps_unit, value.mapping, value.place, now, all);
    add_links(chain, now, all);
    Route unused{.place = chain.links.front()->connection->element.place()};
    start(*sink.part, element_name(*sink.part, sink.connector, sink.indices, unused), value, all);
  }

  void start(const Part& part, const std::string& name, const Value& value, const Transformation& transformation) {
    const fmi::Variable* const variable = variable_of(part, name);
    if (variable == nullptr) return;
    auto texts = start_texts(value, transformation, *part.fmu, *variable, diagnostics_);
    if (!texts) return;
    std::vector<Start>& starts = routes_.starts[&part];
    std::erase_if(starts, [&](const Start& other) { return other.variable == name; });
    starts.push_back({name, std::move(*texts), value.place});
  }

  static bool can_be_set(const fmi::Variable& variable) {
    switch (variable.causality) {
      case fmi::Causality::parameter:
      case fmi::Causality::structural_parameter:
      case fmi::Causality::input:
        return variable.type != fmi::Type::clock;
      default:
        return (variable.initial == fmi::Initial::exact || variable.initial == fmi::Initial::approx) &&
               variable.variability != fmi::Variability::constant;
    }
  }

  void add_starts(const Part& part) {
    if (part.what == Part::What::fmu && part.fmu) {
      for (const auto& [name, value] : values_.of(part)) {
        const fmi::Variable* const variable = variable_of(part, name);
        if (variable == nullptr) continue;
        if (!can_be_set(*variable)) {
          diagnostics_.warning(
              value->place,
              fmt::format("variable '{}' of '{}' cannot be given a value: it is of causality {}, "
                          "variability {}; this value is not used",
                          name, part.name, fmi::name_of(variable->causality), fmi::name_of(variable->variability)));
          continue;
        }
        Meaning now{value->type.unit, true, value->type.enumeration};
        Transformation all;
        add(meaning_of(part, name), value->keeps_unit, value->mapping, value->place, now, all);
        start(part, part.variable_of(name), *value, all);
      }
    }
    if (!part.system) return;
    for (const auto& child : part.system->elements) add_starts(*child);
  }

  /// A variable of an FMU is where it comes from.
  void finish(const End& source, Chain chain) {
    const fmi::Variable* const from = variable_of(*source.part, source.connector);
    if (from == nullptr) return;
    const bool is_outlet = chain.sink.part == nullptr;
    if (is_outlet && !is_carried(*source.part->fmu, *from)) {
      diagnostics_.note(chain.links.front()->connection->element.place(),
                        fmt::format("output '{}' of the root system is of type {}, which has no signal here; it is "
                                    "left out",
                                    chain.sink.connector, fmi::name_of(from->type)));
      return;
    }
    Route route = route_to(chain);
    if (route.sink == nullptr && !is_outlet) return;
    route.source = source.part;
    const std::size_t size = route.size;
    route.source_variable = element_name(*source.part, source.connector, chain.rest, route);
    if (route.sink == nullptr) {
      routes_.routes.push_back(std::move(route));
      return;
    }
    const fmi::Variable* const to = variable_of(*route.sink, chain.sink.connector);
    if (to == nullptr) return;
    if (size != route.size) {
      diagnostics_.error(route.place, fmt::format("{} has {} numbers, and {} has {}", source.connector, route.size,
                                                  chain.sink.connector, size));
      return;
    }
    const bool is_fixed = (to->causality == fmi::Causality::parameter && !fmi::is_tunable_parameter(*to)) ||
                          to->causality == fmi::Causality::structural_parameter;
    if (is_fixed) return assign_constant(*source.part, *from, std::move(route));
    if (!is_carried(*source.part->fmu, *from)) return refuse(*from, route);
    if (!is_carried(*route.sink->fmu, *to)) return refuse(*to, route);
    routes_.routes.push_back(std::move(route));
  }

  static bool is_carried(const fmi::Description& fmu, const fmi::Variable& variable) {
    return fmi::is_signal(fmu, variable) || variable.type == fmi::Type::clock;
  }

  void refuse(const fmi::Variable& variable, const Route& route) {
    diagnostics_.error(route.place, fmt::format("variable '{}' is of type {}, which no connection carries here; give "
                                                "the input a value by a parameter binding, or leave it unconnected",
                                                variable.name, fmi::name_of(variable.type)));
  }

  /// A parameter that cannot change while the FMU runs.
  void assign_constant(const Part& part, const fmi::Variable& from, Route route) {
    if (from.variability != fmi::Variability::constant || !from.has_start() || !fmi::is_float(from.type) ||
        from.element_count() != 1) {
      diagnostics_.error(route.place,
                         fmt::format("'{}.{}' is known when the run starts, but '{}.{}' is a parameter that must be "
                                     "known before; expected a parameter or a constant number as its source",
                                     part.name, from.name, route.sink->name, route.sink_variable));
      return;
    }
    Value value{.texts = {fmt::format("{}", std::get<std::vector<double>>(from.start).front())}, .place = route.place};
    value.type.type = fmi::Type::float64;
    start(*route.sink, route.sink_variable, value, route.transformation);
  }

  const Part& root_;
  Diagnostics& diagnostics_;
  BoundValues values_;
  std::vector<std::unique_ptr<Directed>> directed_;
  /// By the part that takes the value, or the system whose own connector does, from within.
  std::unordered_map<const void*, std::unordered_map<std::string, Incoming>> incoming_;
  std::unordered_map<const Dictionary*, std::unordered_map<std::string, Incoming>> writers_;
  Routes routes_;
};

}  // namespace

Routes find_routes(const Part& root, Diagnostics& diagnostics) { return RouteFinder(root, diagnostics).find(); }

}  // namespace tieline::interchange::ssp
