#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/multibody/spec.hpp"
#include "components/ode_component.hpp"
#include "core/component.hpp"
#include "core/result.hpp"
#include "kinds/blueprint.hpp"
#include "model/composite_model.hpp"
#include "model/grammar.hpp"
#include "model/validate.hpp"

namespace tieline::kinds {

/// What a component is built for.
struct BuildRequest {
  std::string name{};
  components::SolverChoice choice{};
  core::Pose placement{};
  double start = 0.0, stop = 0.0;                             ///< of the run [s]
  bool has_signals_only = false;                              ///< nothing else is joined to it, or prescribed
  std::function<void(const std::string& line)> on_message{};  ///< what it has to say to people
  std::vector<components::GivenMotion> motions{};             ///< that open ends give interfaces in space
  std::vector<Blueprint::EndFrame> end_frames{};              ///< of the blueprint
};

/// Reads a component's content; nothing if it cannot be read, the reasons being in the diagnostics. These belong to
/// this component alone: with an error in them, such as one that the grammar has found, nothing is built.
using ReadComponent =
    std::function<std::optional<Blueprint>(const model::Component& component, document::Diagnostics& diagnostics)>;

/// A kind of component that models may use.
struct Kind {
  model::ComponentKind description{};
  ReadComponent read{};
  bool is_local = false;  ///< added by this program: no other process can compute it
  /// Makes a `read` for the components of one model, where these share what it reads; empty: `read` does.
  std::function<ReadComponent()> read_for_model{};
};

/// All kinds that this process knows: those of this build, then those that were added, by name. What a pointer leads to
/// stays as long as the process.
[[nodiscard]] std::vector<const Kind*> all_kinds();
[[nodiscard]] const Kind* find_kind(std::string_view name);
/// Adds a kind; an error if its name or its element is taken. From any thread.
core::Result<void> add_kind(Kind kind);
/// Their part of the file format.
[[nodiscard]] std::vector<model::ComponentKind> kind_descriptions();

}  // namespace tieline::kinds
