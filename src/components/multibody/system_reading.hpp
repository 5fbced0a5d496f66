#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "components/multibody/spec.hpp"
#include "components/reading.hpp"
#include "core/spatial.hpp"
#include "document/diagnostics.hpp"
#include "document/scope.hpp"
#include "document/time_function.hpp"
#include "document/xml.hpp"

namespace tieline::components {

// What the readers of single elements expect of numbers.
inline const document::NumberRule kAnything{.absent = 0.0};
inline const document::NumberRule kNotNegative{.absent = 0.0, .least = 0.0};
inline const document::NumberRule kPositive{.least = 0.0, .exclusive_least = true};

/// The content of one <Multibody> while it is read: what its attributes say, what its names stand for, and the system
/// that grows of it.
///
/// The readers of single elements (body_reader.cpp, beam_reader.cpp, force_reader.cpp, load_reader.cpp) are called by
/// read_multibody, so that what others refer to is read first. Problems go to the diagnostics with their place, and
/// reading goes on. Must not be copied: names and functions refer to its scope. One thread.
class SystemReading {
 public:
  SystemReading(const document::Element& content, const document::Scope& scope, document::Diagnostics& diagnostics);
  SystemReading(const SystemReading&) = delete;
  SystemReading& operator=(const SystemReading&) = delete;

  [[nodiscard]] const document::Element& content() const { return content_; }
  [[nodiscard]] MultibodySpec& spec() { return spec_; }
  [[nodiscard]] document::Diagnostics& diagnostics() { return diagnostics_; }

  // Attributes.
  double number(const document::Element& element, std::string_view attribute, document::NumberRule rule,
                std::string unit = "");
  std::vector<double> numbers(const document::Element& element, std::string_view attribute);
  Eigen::Vector3d vector(const document::Element& element, std::string_view attribute);
  core::Pose pose(const document::Element& element);
  std::string text(const document::Element& element, std::string_view attribute);
  /// A path, relative to the file that the attribute stands in.
  std::filesystem::path file(const document::Element& element, std::string_view attribute);
  std::optional<document::TimeFunction> function(const document::Element& element, std::string_view attribute);
  /// Three functions separated by commas.
  VectorFunction functions(const document::Element& element, std::string_view attribute);
  std::optional<document::Table> table(const document::Element& element) {
    return read_table(element, scope_, diagnostics_);
  }
  void problem(const document::Element& element, std::string_view attribute, std::string message);

  // Names. Those that are not known are reported with the nearest one, and are -1.
  /// The name of a part, which no other may have.
  std::string declare(const document::Element& element) { return names_.declare(element); }
  int frame(const document::Element& element, std::string_view attribute);
  int joint(const document::Element& element, std::string_view attribute);
  /// The two ends of an element, which must be frames of different bodies.
  void read_ends(const document::Element& element, int& from, int& to);

  void add_frame(FrameSpec frame);
  void add_joint(JointSpec joint);
  void add_input(MultibodyInput input);
  void add_table(const std::string& name, document::Table table) { tables_[name] = std::move(table); }

 private:
  const document::Element& content_;
  document::Scope scope_;
  document::Diagnostics& diagnostics_;
  PartNames names_;
  MultibodySpec spec_{};
  std::vector<std::string> frame_names_, joint_names_, input_names_;
  std::map<std::string, document::Table> tables_;
};

// Readers of single elements.
void read_body(SystemReading& reading, const document::Element& element);
void read_beam(SystemReading& reading, const document::Element& element);
void read_planar_beam(SystemReading& reading, const document::Element& element);
/// The body's own frame, and those that stand in its element.
void read_frames_on(SystemReading& reading, const document::Element& element, int body);
void read_frame(SystemReading& reading, const document::Element& element);
void read_tie(SystemReading& reading, const document::Element& element);
void read_spring(SystemReading& reading, const document::Element& element);
void read_contact(SystemReading& reading, const document::Element& element);
void read_joint(SystemReading& reading, const document::Element& element);
void read_load(SystemReading& reading, const document::Element& element);
void read_joint_load(SystemReading& reading, const document::Element& element);
void read_interface(SystemReading& reading, const document::Element& element);

}  // namespace tieline::components
