#include "assembly/signal_sums.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "assembly/connection_figures.hpp"
#include "kinds/registry.hpp"

namespace tieline::assembly {
namespace {

using document::Diagnostics;
using model::Connection;
using model::Endpoint;

bool adds(const Connection& connection) {
  return connection.declaration.get("adds") == "true" && connection.coupling == model::Coupling::signal &&
         connection.to.component >= 0;
}

std::string sum_text(const std::string& name, std::size_t terms, int size) {
  std::string text = fmt::format("<Component name=\"{}\" kind=\"blocks\"><Blocks>", name), inputs;
  for (std::size_t k = 1; k <= terms; ++k) {
    text += fmt::format("<Input name=\"in{}\" size=\"{}\"/>", k, size);
    inputs += fmt::format("{}in{}", k == 1 ? "" : ", ", k);
  }
  return text +
         fmt::format("<Sum name=\"sum\" inputs=\"{}\"/><Output name=\"out\" of=\"sum\"/></Blocks></Component>", inputs);
}

/// "controller_u_sum", and nothing that another component is called.
std::string sum_name(const model::CompositeModel& model, const Endpoint& input) {
  std::string name = model.describe(input) + "_sum";
  for (char& c : name) {
    if (c == '.' || c == '[') c = '_';
  }
  std::erase(name, ']');
  while (model.find_component(name) >= 0) name += '_';
  return name;
}

/// Numbers of a signal with the units of those that they become.
std::vector<model::SignalNumber> units_of(const model::InterfacePart& part) {
  std::vector<model::SignalNumber> numbers;
  const auto first = static_cast<std::size_t>(part.first - 1), count = static_cast<std::size_t>(part.size);
  for (std::size_t k = first; k < first + count && k < part.interface->numbers.size(); ++k)
    numbers.push_back({.unit = part.interface->numbers[k].unit});
  return numbers;
}

/// Puts the sum of some connections in front of the input that they lead to.
void insert_sum(CheckedModel& checked, const std::vector<std::size_t>& terms, Diagnostics& diagnostics) {
  model::CompositeModel& model = checked.model;
  const Connection first = model.connections[terms.front()];
  const model::InterfacePart input = part_at(checked, first.to);
  if (!input || input.interface->causality != core::Causality::input) return;  // reported with the connections
  model::Component sum{.name = sum_name(model, first.to), .kind = "blocks"};
  const document::Place place = first.declaration.place();
  const auto document =
      document::Document::parse(sum_text(sum.name, terms.size(), input.size), place.file, diagnostics, {{0, place}});
  const kinds::Kind* const kind = kinds::find_kind("blocks");
  if (document == nullptr || kind == nullptr) return;
  sum.declaration = document->root();
  sum.content = sum.declaration.child("Blocks");
  sum.content_file = model.file;
  sum.statements = {{sum.declaration, model.file}};
  sum.settings = model.simulation.defaults;
  auto blueprint = kind->read(sum, diagnostics);
  if (!blueprint) return;
  for (model::InterfaceInfo& interface : blueprint->interfaces) interface.numbers = units_of(input);
  const int index = static_cast<int>(model.components.size());
  for (std::size_t k = 0; k < terms.size(); ++k) {
    model.connections[terms[k]].to = {index, fmt::format("in{}", k + 1)};
    sum.used_interfaces.push_back(model.connections[terms[k]].to.interface);
  }
  sum.used_interfaces.emplace_back("out");
  Connection on{.name = fmt::format("{}.out--{}", sum.name, model.describe(first.to))};
  on.from = {index, "out"}, on.to = first.to;
  on.level = first.level, on.declaration = sum.declaration;
  model.components.push_back(std::move(sum));
  model.connections.push_back(std::move(on));
  checked.blueprints.push_back(std::move(blueprint));
}

}  // namespace

void insert_sums(CheckedModel& checked, Diagnostics& diagnostics) {
  std::map<std::pair<int, std::string>, std::vector<std::size_t>> terms;
  for (std::size_t i = 0; i < checked.model.connections.size(); ++i) {
    const Connection& connection = checked.model.connections[i];
    if (adds(connection)) terms[{connection.to.component, connection.to.interface}].push_back(i);
  }
  for (const auto& [input, of_input] : terms) {
    if (of_input.size() > 1) insert_sum(checked, of_input, diagnostics);
  }
}

}  // namespace tieline::assembly
