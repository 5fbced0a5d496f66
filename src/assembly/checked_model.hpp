#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "assembly/grouping.hpp"
#include "assembly/open_ends.hpp"
#include "core/relation.hpp"
#include "coupling/line_parameters.hpp"
#include "coupling/spatial_line.hpp"
#include "document/diagnostics.hpp"
#include "document/document_cache.hpp"
#include "kinds/blueprint.hpp"
#include "model/composite_model.hpp"
#include "model/reader.hpp"

namespace tieline::assembly {

/// What follows from the numbers of a connection that is a line; empty for all others.
struct ConnectionFigures {
  std::optional<coupling::LineFigures> line{};        ///< of a line in space: of its translation
  std::optional<coupling::SpatialFigures> spatial{};  ///< of a line in space
  std::string problem{};                              ///< why a line has no figures
};

/// A node of the engine's graph: a component, or a group of components that are joined without delay.
struct Node {
  GroupTree tree{};
  std::string name{};
  std::vector<int> components{};  ///< in the order of the tree's members
  std::vector<int> links{};       ///< connections without delay inside, by name
  bool is_hosted = false;         ///< another process computes it from the start on
};

/// A model that was read and checked, with its components ready to be built, and all that follows from it. Whoever
/// runs, describes or replays the model takes it from here. Stop time and save interval may be changed afterwards:
/// nothing here depends on them.
struct CheckedModel {
  model::CompositeModel model{};
  std::vector<std::optional<kinds::Blueprint>> blueprints{};  ///< of each component
  std::vector<std::shared_ptr<const void>> owned_files{};     ///< temporary files of imported models

  // What `work_out` finds.
  std::vector<Node> nodes{};                     ///< none if an end of a connection is not known
  std::vector<int> node_of_component{};          ///< index into `nodes`
  std::vector<PrescribedEnd> prescribed_ends{};  ///< that could be read
  std::vector<ConnectionFigures> figures{};      ///< of each connection
  /// Of each connection, by number of its signal: what is made of it on the way; none where that is nothing.
  std::vector<std::vector<core::Relation>> relations{};
  std::set<std::string> files{};  ///< every file that the model names, and those that were read

  [[nodiscard]] const Node& node_of(int component) const {
    return nodes[static_cast<std::size_t>(node_of_component[static_cast<std::size_t>(component)])];
  }
};

/// Reads a model and everything it refers to, and reports every problem. Nothing if the file cannot be read at all.
/// `documents`: of those who check the model more than once, so that its files are parsed once; null: all are read.
[[nodiscard]] std::optional<CheckedModel> check_model(const std::filesystem::path& file,
                                                      std::span<const model::Override> overrides,
                                                      document::Diagnostics& diagnostics,
                                                      document::DocumentCache* documents = nullptr);

/// Fills what follows from the model and its blueprints; `check_model` has done so. What is wrong with prescribed ends
/// is reported.
void work_out(CheckedModel& checked, document::Diagnostics& diagnostics);

/// All of a model is computed in one process, whatever it states about processes and sandboxes of its components.
/// Programs stay what they are.
void keep_in_process(CheckedModel& checked);

}  // namespace tieline::assembly
