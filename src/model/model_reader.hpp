#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/grammar.hpp"
#include "document/scope.hpp"
#include "model/level.hpp"
#include "model/library.hpp"
#include "model/parameter_reader.hpp"
#include "model/reader.hpp"

namespace tieline::model {

/// Reads one composite model with all that it refers to, flattening nested models on the way. Construct, then `run`
/// once; everything borrowed must outlive it. reader.cpp holds files, levels and repeats, component_reader.cpp
/// components and alternatives, process_reader.cpp their processes, connection_reader.cpp connections, open ends and
/// attachments.
class ModelReader {
 public:
  ModelReader(std::span<const Override> overrides, std::span<const ComponentKind> kinds, const DocumentSource& source,
              document::Diagnostics& diagnostics);

  std::optional<CompositeModel> run(const std::filesystem::path& file);

 private:
  using Diagnostics = document::Diagnostics;
  using Element = document::Element;
  using Place = document::Place;
  using Scope = document::Scope;

  // Files, levels and repeats (reader.cpp).
  static std::filesystem::path canonical(const std::filesystem::path& file);
  /// Each file is read, and checked against its grammar, once.
  std::shared_ptr<const document::Document> load(const std::filesystem::path& file, std::string_view root);
  void note_used_interfaces();
  void read_root_parameters(const Element& root, const Scope& scope);
  Exports read_level(Level& level, const Scope& scope);
  /// Calls `read` for each <Component> or <Connection>, as often as the <Repeat> elements around it say.
  template <class Read>
  void repeat(const Element& parent, const Scope& scope, const Read& read);
  template <class Read>
  void expand(const Element& element, const Scope& scope, const Read& read);
  bool is_full(const Element& element);
  std::optional<std::string> read_name(const Element& element, const Scope& scope);
  std::optional<std::filesystem::path> read_path(const Element& element, std::string_view attribute,
                                                 const std::filesystem::path& file, const Scope& scope);
  /// Whether an element counts; if not, a note says so. What could not be computed has been reported, and counts.
  bool is_enabled(const Element& element, const Scope& scope, std::string_view what, const std::string& name);
  Exports read_nested(const Component& component, const Level& around);

  // Components and alternatives (component_reader.cpp).
  /// The name of a component or an alternative that is enabled; nothing if there is nothing (more) to read.
  std::optional<std::string> read_new_name(Level& level, const Element& element, const Scope& around);
  /// Parameters of what is left out stay known to the command line: a study may switch it on and off.
  void declare_left_out(const Level& level, const std::string& name, const Element& element, const Scope& around);
  void read_component(Level& level, const Element& element, const Scope& around);
  void add_component(Level& level, const std::string& name, const Element& element, const Scope& around);
  /// All that describe the component, and its kind. False, with a report, where they do not state what it is.
  bool find_statements(Component& component, const Level& level);
  void read_alternative(Level& level, const Element& element, const Scope& around);
  /// Which of the named choices an alternative takes: by name, or by number counted from 0.
  std::size_t choose(const std::string& full_name, const Element& element, const std::vector<std::string>& names,
                     const Scope& around);
  /// Reads a component into a model of its own, which is not run.
  Choice read_apart(const Level& level, const std::string& name, const Element& element, const Scope& around);
  static void describe_choice(const Level& level, const std::string& name, Choice& choice);
  /// <Component> speaks with the names around it, its types with those of the component.
  static const Scope& scope_of(const Component& component, const Statement& statement, const Scope& around);
  void read_metadata(Component& component, const Scope& around);
  /// What it states of the process that computes it (process_reader.cpp).
  void read_process(Component& component, const Scope& around);
  /// What its kind alone knows how to read.
  void read_options(Component& component, const Scope& around);
  /// Reports what only components of another kind may state.
  void refuse_words_of_other_kinds(const Component& component);
  /// Parameters of its kind that the command line gives, and nothing in the model states.
  void read_kind_parameters(Component& component, const Scope& around);
  /// The name of the element that holds a kind's content; empty if its files are not ours to read.
  std::string content_element(const std::string& kind) const;
  bool needs_content(const std::string& kind) const;
  /// Whether the component has content that was read: that of the nearest statement which has some.
  bool find_content(Component& component, const Scope& around);
  bool report_content(const Component& component, const Element& element, const std::string& expected);
  bool is_content_of_another_kind(std::string_view name) const;
  bool load_content(Component& component, const Statement& statement, const std::string& expected, const Scope& around);

  // Connections, open ends and attachments (connection_reader.cpp).
  /// The frame of a component or a nested model; what it is attached to is known only when its level has been read.
  int add_frame(const Component& component, Level& level);
  void resolve_attachments(Level& level);
  /// Says so where an attachment leads to what is left out.
  void note_detached(const Frame& frame, std::string_view attribute, const Target& target);
  /// The interface of an attached component that meets the target: as stated, or the one that a connection joins.
  std::optional<Endpoint> own_interface(const Level& level, const Frame& frame, const Endpoint& target,
                                        const Scope& scope);
  Target resolve(const Level& level, const Element& element, std::string_view attribute, const Scope& scope);
  Target resolve_text(const Level& level, const std::string& text, std::string_view attribute, const Place& place);
  void read_connection(Level& level, const Element& element, const Scope& scope);
  void read_open(Level& level, const Element& element, const Scope& scope);

  ParameterReader parameters_;
  std::span<const ComponentKind> kinds_;
  const DocumentSource& source_;
  document::Grammar grammar_;
  Diagnostics& document_diagnostics_;  ///< what is wrong with a file is wrong whoever reads it
  Diagnostics* diagnostics_;           ///< of what is read at present
  CompositeModel model_;
  Shelf shelf_;
  std::vector<std::filesystem::path> files_;
  std::map<std::pair<std::filesystem::path, std::string>, std::shared_ptr<const document::Document>> documents_;
  std::size_t rounds_ = 0;
  std::size_t models_ = 0;
  std::size_t parts_ = 0;  ///< components, nested models and connections read so far
};

}  // namespace tieline::model
