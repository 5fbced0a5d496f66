#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "archive/zip_writer.hpp"
#include "document/diagnostics.hpp"
#include "document/grammar.hpp"
#include "document/xml.hpp"
#include "interchange/importer.hpp"
#include "model/composite_model.hpp"

namespace tieline::interchange::ssp {

/// Where files of a model are in an SSP that Tieline writes.
inline constexpr std::string_view kResources = "resources";
inline constexpr std::string_view kModelAnnotation = "org.tieline.model";
inline constexpr std::string_view kConnectionAnnotation = "org.tieline.connection";

/// Puts the files that a model names into an archive, below `resources`: those below the model's folder where they are
/// in it, so that names made by expressions still lead to them, and all others beside. Documents that name such files
/// are changed accordingly.
class Pack {
 public:
  /// `folder`: what paths in the outermost document are relative to.
  Pack(std::filesystem::path folder, std::span<const Companion> companions, const document::Grammar& grammar,
       archive::ZipWriter& zip, document::Diagnostics& diagnostics);

  /// Takes all that the model names.
  void take_model(const document::Element& root, const model::CompositeModel& checked);
  /// What an attribute of the outermost document becomes, relative to `resources`.
  [[nodiscard]] std::string named(std::string_view text, const document::Place& place);
  /// Where a file was put, relative to the archive's root; empty: it was not.
  [[nodiscard]] std::string path_of(const std::filesystem::path& file) const;
  /// Libraries that the outermost document uses without naming their files; relative to `resources`.
  [[nodiscard]] const std::set<std::string>& libraries() const { return libraries_; }

 private:
  [[nodiscard]] std::filesystem::path source_of(const std::filesystem::path& file) const;
  /// Returns its place relative to `resources`; empty if it is not there.
  std::string take(const std::filesystem::path& file, const document::Place& place, bool is_content);
  void take_named(const document::Element& element, const document::ElementRule& rule,
                  const std::filesystem::path& folder);
  void take_programs(const document::Element& element, const std::filesystem::path& folder);
  [[nodiscard]] std::string rewritten(const std::shared_ptr<const document::Document>& document,
                                      const std::filesystem::path& folder, const std::string& target);
  [[nodiscard]] std::string target_of(const std::filesystem::path& file);
  void report(const core::Result<void>& added, const document::Place& place);

  std::filesystem::path folder_;                                       ///< absolute
  std::map<std::filesystem::path, std::filesystem::path> companions_;  ///< where a file is, by where it is said to be
  const document::Grammar& grammar_;
  archive::ZipWriter& zip_;
  document::Diagnostics& diagnostics_;
  std::map<std::filesystem::path, std::string> targets_;  ///< relative to `resources`, by absolute path
  std::set<std::string> used_targets_, libraries_;
};

/// Whether an attribute of an element names a file.
[[nodiscard]] bool names_file(const document::ElementRule& rule, std::string_view attribute);

/// A hash of a description without its annotations, layout and prefixes.
[[nodiscard]] std::string digest_of(const document::Element& description);

}  // namespace tieline::interchange::ssp
