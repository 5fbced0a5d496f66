#include <algorithm>
#include <fmt/format.h>

#include "interchange/modelica_composite.hpp"
#include "modelica/token.hpp"

namespace tieline::interchange {

using modelica::Class;
using modelica::Equation;
using modelica::Expression;
using modelica::Instance;
using modelica::Iterators;
using modelica::Member;
using modelica::Reference;

namespace {

constexpr int kDeepestLoop = 50;
constexpr std::size_t kMostConnections = 2'000'000;

/// The digits at the end of a name.
std::string_view number_of(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return last == name.npos ? name : name.substr(last + 1);
}

}  // namespace

void ModelicaComposite::connect_all(const std::vector<Equation>& equations, Class& type, const Iterators& iterators,
                                    int depth) {
  if (depth > kDeepestLoop) return;
  for (const Equation& equation : equations) {
    switch (equation.kind) {
      case Equation::Kind::connect:
        connect(equation, type, iterators);
        break;
      case Equation::Kind::condition:
        connect_branch(equation, type, iterators, depth);
        break;
      case Equation::Kind::loop:
        connect_loop(equation, 0, type, iterators, depth);
        break;
      default:
        shared_.report.lost("equations");
        shared_.diagnostics.warning(type.place_at(equation.at), std::string(kNoEquations));
    }
  }
}

void ModelicaComposite::connect_branch(const Equation& equation, Class& type, const Iterators& iterators, int depth) {
  for (const auto& branch : equation.branches) {
    if (branch.condition.kind != Expression::Kind::missing) {
      const auto is_chosen = modelica::evaluate_truth({&branch.condition, &model_, &type, {}, iterators},
                                                      "the condition of connections", shared_.diagnostics);
      if (!is_chosen) return;
      if (!*is_chosen) continue;
    }
    connect_all(branch.equations, type, iterators, depth + 1);
    return;
  }
}

void ModelicaComposite::connect_loop(const Equation& equation, std::size_t index, Class& type, Iterators iterators,
                                     int depth) {
  if (index == equation.iterators.size()) {
    if (!equation.branches.empty()) connect_all(equation.branches.front().equations, type, iterators, depth + 1);
    return;
  }
  const Expression& iterator = equation.iterators[index];
  if (iterator.operands.empty()) {
    shared_.diagnostics.error(type.place_at(iterator.at),
                              fmt::format("the index '{}' needs a range: {} in 1:n", iterator.text, iterator.text));
    return;
  }
  const auto range =
      modelica::evaluate_range({&iterator.operands[0], &model_, &type, {}, iterators}, shared_.diagnostics);
  if (!range) return;
  iterators.emplace_back(iterator.text, 0.0);
  for (const double value : *range) {
    iterators.back().second = value;
    connect_loop(equation, index + 1, type, iterators, depth);
  }
}

void ModelicaComposite::connect(const Equation& equation, Class& type, const Iterators& iterators) {
  std::vector<End> left = ends_of(equation.operands[0], type, iterators);
  std::vector<End> right = ends_of(equation.operands[1], type, iterators);
  if (left.empty() || right.empty()) return;
  if (items_.size() > kMostConnections) return;
  // A signal of several numbers is one thing, unless the other side names its numbers.
  if (left.size() == 1 && right.size() > 1) left = spread(left[0]);
  if (right.size() == 1 && left.size() > 1) right = spread(right[0]);
  if (left.size() != right.size()) {
    shared_.diagnostics.error(type.place_at(equation.at),
                              fmt::format("the sides of this connection have different sizes: {} has {}, {} has {}",
                                          modelica::describe(equation.operands[0]), left.size(),
                                          modelica::describe(equation.operands[1]), right.size()));
    return;
  }
  for (std::size_t i = 0; i < left.size(); ++i) join(std::move(left[i]), std::move(right[i]));
}

/// The single numbers of a whole signal.
std::vector<ModelicaComposite::End> ModelicaComposite::spread(const End& end) {
  std::vector<End> members;
  for (int i = 1; i <= end.size; ++i) {
    End member = end;
    member.size = 0;
    member.text += fmt::format("[{}]", i);
    members.push_back(std::move(member));
  }
  return members.empty() ? std::vector{end} : members;
}

std::optional<std::vector<std::vector<int>>> ModelicaComposite::selected(const Reference::Part& part,
                                                                         const std::vector<int>& sizes, Class& type,
                                                                         const Iterators& iterators) {
  std::vector<std::vector<int>> all{{}};
  if (!part.subscripts.empty() && part.subscripts.size() != sizes.size()) {
    shared_.diagnostics.error(type.place_at(part.at), fmt::format("'{}' has {} dimensions, not {}", part.name,
                                                                  sizes.size(), part.subscripts.size()));
    return std::nullopt;
  }
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::vector<int> chosen;
    const Expression* const subscript = part.subscripts.empty() ? nullptr : &part.subscripts[d];
    if (subscript == nullptr || subscript->kind == Expression::Kind::colon) {
      for (int i = 1; i <= sizes[d]; ++i) chosen.push_back(i);
    } else if (subscript->kind == Expression::Kind::end) {
      chosen = {sizes[d]};
    } else {
      std::string problem;
      Iterators with_end = iterators;
      const auto value = modelica::evaluate({subscript, &model_, &type, {}, with_end}, problem);
      const auto* const list = value ? value->list() : nullptr;
      const auto count = list != nullptr ? list->size() : std::size_t{1};
      for (std::size_t i = 0; value && i < count; ++i) {
        const double* const number = list != nullptr ? (*list)[i].number() : value->number();
        if (number == nullptr || !(*number >= 1.0 && *number <= sizes[d])) {
          problem = fmt::format("it must be from 1 to {}", sizes[d]);
          if (number != nullptr) problem += fmt::format(", got {}", *number);
          break;
        }
        chosen.push_back(static_cast<int>(*number));
      }
      if (chosen.size() != count || !value) {
        shared_.diagnostics.error(
            type.place_at(subscript->at),
            fmt::format("the index '{}' of '{}' is not valid: {}", modelica::describe(*subscript), part.name, problem));
        return std::nullopt;
      }
    }
    std::vector<std::vector<int>> product;
    for (const auto& begun : all) {
      for (const int i : chosen) {
        product.push_back(begun);
        product.back().push_back(i);
      }
    }
    all = std::move(product);
  }
  return all;
}

/// Names what may be meant by a name that nothing has: the nearest one, or a connection with the same number that no
/// equation names, as where "TLM1" is declared and "TLMConnection1" is connected.
void ModelicaComposite::report_unknown_part(const Reference::Part& part, Class& type) {
  const std::string name = modelica::name_of(part.name);
  std::string hint;
  std::vector<std::string> known;
  for (const Member& member : model_.members()) {
    if (member.type != nullptr && shared_.roles.of(*member.type).kind != Kind::none) {
      known.emplace_back(modelica::name_of(member.identifier));
    }
  }
  for (Part& each : parts_) {
    if (each.kind != Kind::connection || mentioned_.contains(each.member->identifier)) continue;
    if (number_of(each.name) != number_of(name) || number_of(name).empty()) continue;
    each.is_proposed = true;
    hint = fmt::format("; '{}', {} declared in line {}, is not connected: write '{}' here, or declare it as '{}'",
                       each.name, fmt::format("a {}", each.member->element->type.text()), each.member->place().line,
                       each.name, name);
    break;
  }
  if (hint.empty()) {
    const auto nearest = document::nearest_name(name, known);
    if (!nearest.empty()) hint = fmt::format(" (did you mean '{}'?)", nearest);
  }
  shared_.diagnostics.error(type.place_at(part.at), fmt::format("the model has no component '{}'{}", name, hint));
}

std::vector<ModelicaComposite::End> ModelicaComposite::ends_of(const Expression& expression, Class& type,
                                                               const Iterators& iterators) {
  const Reference& reference = *expression.reference;
  const Reference::Part& first = reference.parts.front();
  const Member* const member = model_.find(first.name);
  if (member == nullptr) {
    report_unknown_part(first, type);
    return {};
  }
  if (member->type == nullptr) return {};  // reported
  const Kind kind = shared_.roles.of(*member->type).kind;
  if (kind == Kind::interface) {
    if (reference.parts.size() > 1) {
      shared_.diagnostics.error(type.place_at(first.at),
                                fmt::format("'{}' is an interface; connect it as a whole", first.name));
      return {};
    }
    const End base{.kind = End::Kind::own, .place = type.place_at(first.at)};
    return ends_of_interface(model_, *member, base, "", first, type, iterators);
  }
  const auto known = parts_of_.find(member->identifier);
  if (known == parts_of_.end() || reference.parts.size() != 2) {
    const bool is_part = known != parts_of_.end();
    shared_.diagnostics.error(
        type.place_at(first.at),
        is_part ? fmt::format("'{}' is not an interface: expected COMPONENT.INTERFACE", modelica::describe(expression))
                : fmt::format("'{}' is neither a component nor a connection", first.name));
    return {};
  }
  const auto sizes = model_.sizes(*member);
  if (!sizes) return {};
  const auto chosen = selected(first, *sizes, type, iterators);
  if (!chosen) return {};
  std::vector<End> ends;
  for (const auto& indices : *chosen) {
    int flat = 0;
    for (std::size_t k = 0; k < indices.size(); ++k) flat = flat * (*sizes)[k] + indices[k] - 1;
    auto of_part = ends_of_part(*known->second[static_cast<std::size_t>(flat)], reference, type, iterators);
    if (of_part.empty()) return {};
    ends.insert(ends.end(), std::make_move_iterator(of_part.begin()), std::make_move_iterator(of_part.end()));
  }
  return ends;
}

std::vector<ModelicaComposite::End> ModelicaComposite::ends_of_part(Part& part, const Reference& reference, Class& type,
                                                                    const Iterators& iterators) {
  const Reference::Part& last = reference.parts[1];
  if (part.object == nullptr) return {};
  const Member* const member = part.object->find(last.name);
  const bool is_interface =
      member != nullptr && member->type != nullptr && shared_.roles.of(*member->type).kind == Kind::interface;
  if (!is_interface) {
    std::vector<std::string> known;
    for (const Member& each : part.object->members()) {
      if (each.type != nullptr && shared_.roles.of(*each.type).kind == Kind::interface) {
        known.push_back(modelica::name_of(each.identifier));
      }
    }
    shared_.diagnostics.error(type.place_at(last.at),
                              fmt::format("component '{}' has no interface '{}'{}", part.name, last.name,
                                          document::suggestion(modelica::name_of(last.name), known)));
    return {};
  }
  End base{.part = &part, .place = type.place_at(reference.parts[0].at)};
  if (part.kind == Kind::connection || part.kind == Kind::boundary) {
    const ModelicaRole& role = shared_.roles.of(part.object->type());
    base.kind = End::Kind::connection;
    const std::string name = modelica::name_of(last.name);
    if (part.kind == Kind::connection && name != role.from && name != role.to) {
      shared_.diagnostics.error(type.place_at(last.at), fmt::format("the ends of connection '{}' are '{}' and '{}'",
                                                                    part.name, role.from, role.to));
      return {};
    }
    base.side = part.kind == Kind::connection && name == role.to ? 1 : 0;
  }
  return ends_of_interface(*part.object, *member, base, part.name + ".", last, type, iterators);
}

/// A whole interface is one end; with subscripts, each of its members is one.
std::vector<ModelicaComposite::End> ModelicaComposite::ends_of_interface(Instance& owner, const Member& member,
                                                                         const End& base, const std::string& prefix,
                                                                         const Reference::Part& part, Class& type,
                                                                         const Iterators& iterators) {
  const auto sizes = owner.sizes(member);
  if (!sizes) return {};
  const ModelicaRole& role = shared_.roles.of(*member.type);
  End end = base;
  end.text = prefix + our_name(member);
  end.is_signal = role.domain == "signal";
  end.causality = role.causality;
  if (sizes->empty() && part.subscripts.empty()) return {end};
  const auto chosen = selected(part, *sizes, type, iterators);
  if (!chosen) return {};
  const bool is_whole = part.subscripts.empty() ||
                        std::all_of(part.subscripts.begin(), part.subscripts.end(),
                                    [](const Expression& each) { return each.kind == Expression::Kind::colon; });
  if (is_whole || base.kind == End::Kind::connection) {
    end.size = static_cast<int>(chosen->size());
    return {end};
  }
  std::vector<End> members;
  for (const auto& indices : *chosen) {
    int flat = 0;
    for (std::size_t k = 0; k < indices.size(); ++k) flat = flat * (*sizes)[k] + indices[k] - 1;
    members.push_back(end);
    members.back().text += fmt::format("[{}]", flat + 1);
  }
  return members;
}

void ModelicaComposite::attach(const End& end, const End& other) {
  Part& part = *end.part;
  if (!part.is_queued) {
    part.is_queued = true;
    items_.push_back({.part = &part});
  }
  part.ends[end.side].push_back(other.text);
  part.end_places[end.side] = other.place;
}

/// An input takes one signal. Components with a condition may stand for each other.
void ModelicaComposite::check_source(const End& from, const End& to) {
  const auto is_conditional = [](const End& end) {
    return end.part != nullptr && end.part->member != nullptr && end.part->member->element->condition != nullptr;
  };
  if (!to.is_signal || to.causality != "input" || is_conditional(from) || is_conditional(to)) return;
  const auto [first, is_new] = sources_.try_emplace(to.text, from.text, to.place);
  if (is_new || first->second.first == from.text) return;
  shared_.diagnostics.error(to.place, fmt::format("input '{}' has two sources: '{}' here, and '{}' in line {}", to.text,
                                                  from.text, first->second.first, first->second.second.line));
}

void ModelicaComposite::join(End a, End b) {
  using EndKind = End::Kind;
  if (a.kind == EndKind::connection && b.kind == EndKind::connection) {
    shared_.diagnostics.error(a.place, fmt::format("'{}' and '{}' are both connections; a connection joins two "
                                                   "interfaces of components",
                                                   a.part->name, b.part->name));
  } else if (a.kind == EndKind::own && b.kind == EndKind::own) {
    shared_.diagnostics.error(a.place, "both sides are interfaces of this model; connect one of them to a component");
  } else if (a.kind == EndKind::own || b.kind == EndKind::own) {
    if (b.kind == EndKind::own) std::swap(a, b);
    if (b.kind == EndKind::connection) {
      shared_.diagnostics.error(a.place, fmt::format("the interface '{}' of this model must be connected to an "
                                                     "interface of a component, not to the connection '{}'",
                                                     a.text, b.part->name));
      return;
    }
    exposed_.emplace_back(a.text, std::move(b));
  } else if (a.kind == EndKind::connection) {
    attach(a, b);
  } else if (b.kind == EndKind::connection) {
    attach(b, a);
  } else {
    // Signals go from outputs to inputs, however they are written.
    if (a.is_signal && a.causality == "input" && b.causality == "output") std::swap(a, b);
    check_source(a, b);
    items_.push_back({.from = std::move(a), .to = std::move(b)});
  }
}

}  // namespace tieline::interchange
