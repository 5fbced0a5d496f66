#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bearings/catalogue.hpp"
#include "components/multibody/defaults.hpp"
#include "components/multibody/spec.hpp"
#include "components/reading.hpp"
#include "core/spatial.hpp"
#include "document/diagnostics.hpp"
#include "document/scope.hpp"
#include "document/time_function.hpp"
#include "document/xml.hpp"

namespace tieline::components {

// What the readers of single elements expect of numbers.
using document::kAnything;
using document::kNotNegative;
inline const document::NumberRule kPositive{.least = 0.0, .exclusive_least = true};

/// What a system and its sub-models, each of them a level, share while they are read.
struct SystemParts {
  MultibodySpec spec{};
  std::vector<std::string> input_names{};           ///< of the component
  std::map<std::string, document::Table> tables{};  ///< of all levels, by names that contain the level
  std::map<std::filesystem::path, std::shared_ptr<const document::Document>> documents{};  ///< of sub-models
  std::optional<bearings::Catalogue> catalogue{};                               ///< read where a type is named first
  std::map<std::string, std::shared_ptr<const rail::ContactTable>> contacts{};  ///< by what their profiles state
  int level_count = 0;
};

/// How a level is placed in the one around it; the defaults are those of the outermost.
struct Standing {
  std::string prefix{};                         ///< of the full names of its parts: "left."
  core::Pose pose{};                            ///< in the component
  std::map<std::string, std::string> inputs{};  ///< what its signal inputs are, in terms of the component's
  std::vector<std::filesystem::path> files{};   ///< in which it stands, outermost first; see identity_of
  Defaults* defaults = nullptr;                 ///< of the system around it
};

/// The content of one <Multibody> while it is read: what its attributes say, what its names stand for, and the system
/// that grows of it.
///
/// The readers of single elements (body_reader.cpp, beam_reader.cpp, force_reader.cpp, load_reader.cpp,
/// sub_model_reader.cpp) are called by read_level, so that what others refer to is read first. Problems go to the
/// diagnostics with their place, and reading continues. Must not be copied: names and functions refer to its scope. One
/// thread.
class SystemReading {
 public:
  /// `scope` is that of the component or sub-model, without the content's own parameters.
  SystemReading(SystemParts& parts, const document::Element& content, const document::Scope& scope, Standing standing,
                document::Diagnostics& diagnostics);
  SystemReading(const SystemReading&) = delete;
  SystemReading& operator=(const SystemReading&) = delete;

  [[nodiscard]] const document::Element& content() const { return content_; }
  [[nodiscard]] SystemParts& parts() { return parts_; }
  [[nodiscard]] MultibodySpec& spec() { return parts_.spec; }
  [[nodiscard]] document::Diagnostics& diagnostics() { return diagnostics_; }
  [[nodiscard]] const document::Scope& scope() const { return scope_; }
  [[nodiscard]] const Standing& standing() const { return standing_; }
  [[nodiscard]] Defaults& defaults() { return defaults_; }
  [[nodiscard]] bool is_sub_model() const { return !standing_.prefix.empty(); }

  // Attributes, as the element or its defaults state them.
  [[nodiscard]] bool has(const document::Element& element, std::string_view attribute);
  /// Reports an attribute that is missing.
  bool needs(const document::Element& element, std::string_view attribute);
  /// A text without expressions, such as a choice.
  std::string word(const document::Element& element, std::string_view attribute, std::string_view otherwise = "");
  double number(const document::Element& element, std::string_view attribute, document::NumberRule rule,
                std::string unit = "");
  std::vector<double> numbers(const document::Element& element, std::string_view attribute);
  Eigen::Vector3d vector(const document::Element& element, std::string_view attribute);
  core::Pose pose(const document::Element& element);
  std::string text(const document::Element& element, std::string_view attribute);
  /// A path, relative to the file that contains the attribute.
  std::filesystem::path file(const document::Element& element, std::string_view attribute);
  std::optional<document::TimeFunction> function(const document::Element& element, std::string_view attribute);
  /// Three functions separated by commas.
  VectorFunction functions(const document::Element& element, std::string_view attribute);
  document::Table table(const document::Element& element) {
    return read_table_for_expressions(element, scope_, diagnostics_);
  }
  void problem(const document::Element& element, std::string_view attribute, std::string message);

  /// The contents of this level, as seen in the component.
  [[nodiscard]] core::Pose placed(const core::Pose& pose) const { return core::compose(standing_.pose, pose); }
  [[nodiscard]] Eigen::Vector3d turned(const Eigen::Vector3d& v) const { return standing_.pose.orientation * v; }

  // Names, which are full ones where they are returned. Those that are not known are reported with the nearest one, and
  // are -1.
  /// The name of a part, which no other may have.
  std::string declare(const document::Element& element) { return standing_.prefix + names_.declare(element); }
  int frame(const document::Element& element, std::string_view attribute);
  int joint(const document::Element& element, std::string_view attribute);
  /// The two ends of an element, which must be frames of different bodies.
  void read_ends(const document::Element& element, int& from, int& to);

  /// The level's own coordinate system, which comes before all other frames.
  void add_ground();
  [[nodiscard]] int ground() const { return frames_.front().index; }
  void add_frame(FrameSpec frame);
  void add_joint(JointSpec joint);
  void add_input(const std::string& full_name, double start, bool is_start_stated);
  void add_table(const std::string& full_name, document::Table table);
  /// A table of this level that an attribute names, under the name that all levels share; null: there is none.
  std::pair<std::string, const document::Table*> named_table(const document::Element& element,
                                                             std::string_view attribute);
  /// Types of ball bearings by their names.
  [[nodiscard]] const bearings::Catalogue& catalogue();
  /// Lets frames and joints of a sub-model be referred to.
  void know_parts_of(const SystemReading& sub_model);

  /// A function of this level as one of the component's inputs and t; nothing if it cannot be expressed, which is
  /// reported.
  std::optional<std::string> in_terms_of_component(const std::string& text, const document::Place& place);

 private:
  struct NamedIndex {
    std::string name{};  ///< in this level
    int index = -1;
  };
  std::optional<document::TimeFunction> compile(const std::string& text, const document::Place& place);
  [[nodiscard]] std::string own_name(const std::string& full_name) const {
    return full_name.substr(standing_.prefix.size());
  }
  [[nodiscard]] std::string shared_table_name(std::string_view name) const;
  int find(const document::Element& element, std::string_view attribute, std::string_view what,
           const std::vector<NamedIndex>& known);

  SystemParts& parts_;
  document::Element content_;
  document::Scope scope_;
  Standing standing_;
  int level_ = 0;
  document::Diagnostics& diagnostics_;
  Defaults defaults_;
  PartNames names_;
  std::vector<NamedIndex> frames_, joints_;
  std::vector<std::string> input_names_;
  std::map<std::string, document::Table> tables_;
};

/// The same path for every way to name a file.
[[nodiscard]] std::filesystem::path identity_of(const std::filesystem::path& file);

/// Reads the contents of a level, sub-models included.
void read_level(SystemReading& reading);

// Readers of single elements.
void read_body(SystemReading& reading, const document::Element& element);
void read_beam(SystemReading& reading, const document::Element& element);
void read_planar_beam(SystemReading& reading, const document::Element& element);
/// The body's own frame, and those in its element.
void read_frames_on(SystemReading& reading, const document::Element& element, int body);
void read_frame(SystemReading& reading, const document::Element& element);
void read_sub_model(SystemReading& reading, const document::Element& element);
void read_tie(SystemReading& reading, const document::Element& element);
void read_spring(SystemReading& reading, const document::Element& element);
void read_bump_stop(SystemReading& reading, const document::Element& element);
void read_contact(SystemReading& reading, const document::Element& element);
void read_joint(SystemReading& reading, const document::Element& element);
void read_ball_bearing(SystemReading& reading, const document::Element& element);
void read_bearing_stiffness(SystemReading& reading, const document::Element& element);
void read_wheel_rail(SystemReading& reading, const document::Element& element);
void read_load(SystemReading& reading, const document::Element& element);
void read_joint_load(SystemReading& reading, const document::Element& element);
void read_interface(SystemReading& reading, const document::Element& element);
void read_output(SystemReading& reading, const document::Element& element);

}  // namespace tieline::components
