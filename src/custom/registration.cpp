// register_kind: a declared kind and its factory as a kind of the registry.

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "tieline/component.hpp"

#include "components/ode_component.hpp"
#include "custom/equations_model.hpp"
#include "custom/kind_reader.hpp"
#include "custom/own_steps_component.hpp"
#include "kinds/registry.hpp"

namespace tieline {
namespace {

using custom::EquationsModel;

/// Stands for a component that could not be made when a run was built, though it could when the model was checked.
class MissingEquations final : public Equations {
 public:
  MissingEquations(std::vector<InterfaceDeclaration> declared, std::string reason)
      : declared_(std::move(declared)), reason_(std::move(reason)) {}
  [[nodiscard]] std::vector<InterfaceDeclaration> interfaces() const override { return declared_; }
  void start(double, std::span<double>) override { throw std::runtime_error(reason_); }

 private:
  std::vector<InterfaceDeclaration> declared_;
  std::string reason_;
};

/// The same for one with steps of its own.
class MissingSteps final : public OwnSteps {
 public:
  MissingSteps(std::vector<InterfaceDeclaration> declared, std::string reason)
      : declared_(std::move(declared)), reason_(std::move(reason)) {}
  [[nodiscard]] std::vector<InterfaceDeclaration> interfaces() const override { return declared_; }
  void start(double) override { throw std::runtime_error(reason_); }
  [[nodiscard]] double step(double, double limit, const StageInputs&) override { return limit; }
  void report(double, Interfaces&) override {}

 private:
  std::vector<InterfaceDeclaration> declared_;
  std::string reason_;
};

bool are_alike(const std::vector<InterfaceDeclaration>& a, const std::vector<InterfaceDeclaration>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.name == y.name && x.domain == y.domain && x.causality == y.causality && x.size == y.size;
  });
}

/// What the factory makes for a run; what stands for it where it fails.
template <class Missing, class Factory>
auto make_again(const Factory& factory, const KindParameters& parameters,
                const std::vector<InterfaceDeclaration>& declared) -> decltype(factory(parameters)) {
  try {
    auto made = factory(parameters);
    if (made == nullptr) throw std::runtime_error("the factory of its kind returns nothing");
    if (!are_alike(made->interfaces(), declared)) {
      throw std::runtime_error("the factory of its kind declares different interfaces each time");
    }
    return made;
  } catch (const std::exception& problem) {
    return std::make_unique<Missing>(declared, problem.what());
  }
}

/// Results are known by their names.
void check_columns(const std::vector<core::Column>& columns) {
  std::set<std::string> names;
  for (const core::Column& column : columns) {
    if (column.name.empty()) throw std::invalid_argument("a state or an output has no name");
    if (!names.insert(column.name).second) {
      throw std::invalid_argument(fmt::format("two of its results have the name '{}'", column.name));
    }
  }
}

/// Tries the component out, without anything connected: what connections need to know of it.
std::optional<kinds::Blueprint> plan_equations(const EquationsFactory& factory, const KindParameters& parameters) {
  auto equations = factory(parameters);
  if (equations == nullptr) throw std::runtime_error("the factory of its kind returns nothing");
  const std::vector<InterfaceDeclaration> declared = equations->interfaces();
  EquationsModel model(std::move(equations), core::Pose{}, 0.0);
  check_columns(model.columns());
  if (const auto started = model.begin(0.0); !started) throw std::runtime_error(started.error().describe());
  kinds::Blueprint blueprint;
  blueprint.interfaces = custom::infos_of(model.table());
  blueprint.build = [factory, parameters, declared](const kinds::BuildRequest& request) {
    auto again = std::make_unique<EquationsModel>(make_again<MissingEquations>(factory, parameters, declared),
                                                  request.placement, request.choice.window_hint);
    return std::make_unique<components::OdeComponent>(request.name, std::move(again), request.choice);
  };
  return blueprint;
}

/// The same for one with steps of its own.
std::optional<kinds::Blueprint> plan_steps(const OwnStepsFactory& factory, const KindParameters& parameters) {
  auto steps = factory(parameters);
  if (steps == nullptr) throw std::runtime_error("the factory of its kind returns nothing");
  const std::vector<InterfaceDeclaration> declared = steps->interfaces();
  custom::OwnStepsComponent tried(parameters.component, std::move(steps), core::Pose{});
  check_columns(tried.columns());
  if (auto started = tried.start(0.0); !started) throw std::runtime_error(started.error().message);
  kinds::Blueprint blueprint;
  blueprint.interfaces = custom::infos_of(tried.table());
  blueprint.build = [factory, parameters, declared](const kinds::BuildRequest& request) {
    return std::make_unique<custom::OwnStepsComponent>(
        request.name, make_again<MissingSteps>(factory, parameters, declared), request.placement);
  };
  return blueprint;
}

/// Reads a component of a declared kind; `plan` makes its blueprint from its parameters.
template <class Plan>
auto reader_of(const KindDeclaration& kind, Plan plan) {
  return [kind, plan](const model::Component& component,
                      document::Diagnostics& diagnostics) -> std::optional<kinds::Blueprint> {
    const auto parameters = custom::read_parameters(kind, component, diagnostics);
    if (!parameters) return std::nullopt;
    std::string problem = "it threw something that is not a std::exception";
    try {
      auto blueprint = plan(*parameters);
      blueprint->check = [](const std::vector<bool>&, document::Diagnostics&) {};
      return blueprint;
    } catch (const std::exception& thrown) {
      problem = thrown.what();
    } catch (...) {
    }
    diagnostics.error(component.declaration.place(), fmt::format("component '{}': {}", component.name, problem));
    return std::nullopt;
  };
}

template <class Plan>
void add(const KindDeclaration& kind, Plan plan) {
  kinds::Kind added{.description = custom::description_of(kind), .read = reader_of(kind, plan), .is_local = true};
  if (const auto done = kinds::add_kind(std::move(added)); !done) throw std::invalid_argument(done.error().message);
}

}  // namespace

void register_kind(const KindDeclaration& kind, EquationsFactory factory) {
  if (!factory) throw std::invalid_argument(fmt::format("kind '{}' has no factory", kind.name));
  add(kind,
      [factory = std::move(factory)](const KindParameters& parameters) { return plan_equations(factory, parameters); });
}

void register_kind(const KindDeclaration& kind, OwnStepsFactory factory) {
  if (!factory) throw std::invalid_argument(fmt::format("kind '{}' has no factory", kind.name));
  add(kind,
      [factory = std::move(factory)](const KindParameters& parameters) { return plan_steps(factory, parameters); });
}

}  // namespace tieline
