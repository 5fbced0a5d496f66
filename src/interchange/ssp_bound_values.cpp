#include "interchange/ssp_bound_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace tieline::interchange::ssp {
namespace {

// Names that a message lists.
constexpr std::size_t kMostNames = 10;

bool has_variable(const Part& part, const std::string& name) {
  if (!part.fmu) return false;
  const std::string& own = part.variable_of(name);
  return part.fmu->index_of(own) != fmi::kNone || !part.fmu->scalars_of(own).empty();
}

/// The FMU that a name is meant for, and the name there; null where the name leads to none.
std::pair<const Part*, std::string> meant_for(const Part& part, const std::string& name) {
  if (part.fmu) return {&part, name};
  if (!part.system) return {nullptr, ""};
  for (const auto& child : part.system->elements) {
    if (name.starts_with(child->name + ".")) return meant_for(*child, name.substr(child->name.size() + 1));
  }
  return {nullptr, ""};
}

}  // namespace

BoundValues::BoundValues(const Part& root, document::Diagnostics& diagnostics) {
  distribute(root, {});
  report_unused(root, diagnostics);
}

/// `values`: from further out, by the names that they have in this part.
void BoundValues::distribute(const Part& part, ByName values) {
  // Later assignments replace earlier ones; those from further out replace both.
  ByName all;
  for (const Assignment& assignment : part.assignments) all[assignment.name] = assignment.value;
  for (auto& [name, value] : values) all[name] = std::move(value);
  ByName own;
  for (const auto& [name, value] : all) {
    const bool is_there = part.what == Part::What::fmu ? has_variable(part, name) : part.find(name) != nullptr;
    if (!is_there) continue;
    own.emplace(name, value);
    meant_.insert(value.get());
  }
  if (!own.empty()) values_.emplace(&part, std::move(own));
  if (!part.system) return;
  for (const auto& child : part.system->elements) {
    const std::string prefix = child->name + ".";
    ByName inner;
    for (auto it = all.lower_bound(prefix); it != all.end() && it->first.starts_with(prefix); ++it) {
      inner.emplace(it->first.substr(prefix.size()), it->second);
    }
    distribute(*child, std::move(inner));
  }
}

/// A set may be made for more than one system, so that this is no error.
void BoundValues::report_unused(const Part& part, document::Diagnostics& diagnostics) const {
  std::vector<std::string> unused;
  document::Place place;
  for (const Assignment& assignment : part.assignments) {
    if (meant_.contains(assignment.value.get())) continue;
    const bool is_replaced = values_.contains(&part) && values_.at(&part).contains(assignment.name);
    if (is_replaced) continue;
    const auto [fmu, name] = meant_for(part, assignment.name);
    const bool is_unknown = fmu != nullptr && !has_variable(*fmu, name);  // else replaced from further out
    const std::string advice = is_unknown ? fmu->fmu->suggestion(name) : "";
    if (advice.find("did you mean") != std::string::npos) {
      diagnostics.warning(assignment.value->place,
                          fmt::format("the FMU of '{}' has no variable '{}'{}", fmu->name, name, advice));
      continue;
    }
    if (unused.empty()) place = assignment.value->place;
    unused.push_back(assignment.name);
  }
  if (!unused.empty()) {
    const std::size_t shown = std::min(unused.size(), kMostNames);
    const std::vector<std::string> first(unused.begin(), unused.begin() + static_cast<std::ptrdiff_t>(shown));
    diagnostics.note(place,
                     fmt::format("parameters for '{}' that nothing in it is called like, and that are not used: "
                                 "{}{}",
                                 part.name, fmt::join(first, ", "),
                                 unused.size() > shown ? fmt::format(" and {} more", unused.size() - shown) : ""));
  }
  if (!part.system) return;
  for (const auto& child : part.system->elements) report_unused(*child, diagnostics);
}

const BoundValues::ByName& BoundValues::of(const Part& part) const {
  static const ByName kNone;
  const auto found = values_.find(&part);
  return found != values_.end() ? found->second : kNone;
}

std::shared_ptr<const Value> BoundValues::of(const Part& part, std::string_view name) const {
  const ByName& values = of(part);
  const auto found = values.find(name);
  return found != values.end() ? found->second : nullptr;
}

}  // namespace tieline::interchange::ssp
