#include "model/composite_model.hpp"

#include <algorithm>

namespace tieline::model {
namespace {

template <class T>
void take_if_empty(std::optional<T>& mine, const std::optional<T>& other) {
  if (!mine) mine = other;
}

}  // namespace

void Settings::inherit(const Settings& other) {
  take_if_empty(solver, other.solver);
  take_if_empty(tolerance, other.tolerance);
  take_if_empty(step, other.step);
  take_if_empty(largest_step, other.largest_step);
  take_if_empty(controls_efforts, other.controls_efforts);
  take_if_empty(window, other.window);
  take_if_empty(write_interval, other.write_interval);
  take_if_empty(isolate, other.isolate);
  take_if_empty(sandbox, other.sandbox);
  take_if_empty(host, other.host);
}

const Statement* stating(const Statements& statements, std::string_view attribute) {
  const auto found = std::find_if(statements.begin(), statements.end(),
                                  [&](const auto& statement) { return statement.element.has(attribute); });
  return found == statements.end() ? nullptr : &*found;
}

int CompositeModel::find_component(std::string_view full_name) const {
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (components[i].name == full_name) return static_cast<int>(i);
  }
  return -1;
}

const Gluing* CompositeModel::find_gluing(std::string_view level) const {
  const auto found =
      std::find_if(gluings.begin(), gluings.end(), [&](const Gluing& gluing) { return gluing.level == level; });
  return found == gluings.end() ? nullptr : &*found;
}

std::string CompositeModel::describe(const Endpoint& end) const {
  if (end.component < 0) return "?." + end.interface;
  return components[static_cast<std::size_t>(end.component)].name + "." + end.interface;
}

std::filesystem::path resolve_path(const std::filesystem::path& written_in, std::string_view path) {
  return (written_in.parent_path() / std::filesystem::path(path)).lexically_normal();
}

std::string_view name_of(Coupling coupling) {
  switch (coupling) {
    case Coupling::line:
      return "line";
    case Coupling::sampled:
      return "sampled";
    case Coupling::glue:
      return "glue";
    case Coupling::signal:
      return "signal";
  }
  return "";
}

}  // namespace tieline::model
