#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive.hpp"
#include "document/diagnostics.hpp"
#include "document/xml.hpp"
#include "fmi/description.hpp"
#include "interchange/importer.hpp"

namespace tieline::interchange::ssp {

inline constexpr std::string_view kDefaultStructure = "SystemStructure.ssd";

/// An archive, a folder that is an unpacked one, or the folder around an .ssd file.
struct Package {
  std::shared_ptr<archive::Archive> archive{};
  std::string shown{};       ///< as messages name it: "outer.ssp/resources/inner.ssp"
  std::string target{};      ///< where its files are put when the translation is written elsewhere: "outer/inner"
  bool is_packed = false;    ///< a zip archive
  bool is_enclosed = false;  ///< nothing outside of it may be named
};

/// A file in a package.
struct File {
  std::shared_ptr<const Package> package{};
  std::string path{};  ///< with '/', from the package's root; may start with ".." where the package is not enclosed

  [[nodiscard]] std::string shown() const;
};

/// What a URI names.
struct Named {
  File file{};
  std::string fragment{};  ///< behind '#'
};

/// The files of one SSP and of those within it: finds, reads and unpacks them. Owns what is unpacked (`keep`).
class Files {
 public:
  Files(const ImportRequest& request, document::Diagnostics& diagnostics)
      : folder_(request.folder), diagnostics_(diagnostics) {}

  /// An .ssp, a folder like one, or an .ssd; nothing after an error. `variant`: the structure to read in an archive;
  /// empty: SystemStructure.ssd.
  [[nodiscard]] std::optional<File> open(const std::filesystem::path& file, const std::string& variant);
  /// A nested .ssp. `place`: of the reference to it.
  [[nodiscard]] std::shared_ptr<const Package> open_inner(const File& file, const document::Place& place);

  /// What a URI in a document means; nothing, with an error, where it cannot be used.
  [[nodiscard]] std::optional<Named> resolve(const File& base, const std::string& uri, const document::Place& place);
  [[nodiscard]] bool exists(const File& file) const;
  /// An XML file, read once; null after an error. `place`: of the reference to it.
  [[nodiscard]] std::shared_ptr<const document::Document> document(const File& file, const document::Place& place);
  /// An XML file in an FMU, for sourceBase="component".
  [[nodiscard]] std::shared_ptr<const document::Document> document_within(const File& fmu, const std::string& path,
                                                                          const document::Place& place);
  /// Where a file or folder is on the disk; nothing after an error.
  [[nodiscard]] std::optional<std::filesystem::path> provide(const File& file, const document::Place& place);
  /// As the translation names it: where it is, or where `companions` say that it will be.
  [[nodiscard]] std::string name_for(const File& file, const std::filesystem::path& on_disk);
  /// The description of an FMU, read once; null after an error.
  [[nodiscard]] std::shared_ptr<const fmi::Description> describe(const File& file, const document::Place& place);

  [[nodiscard]] std::vector<Companion> companions() const;
  /// Owner of all packages.
  [[nodiscard]] std::shared_ptr<const void> owner() const { return owner_; }

 private:
  using Packages = std::map<std::string, std::shared_ptr<const Package>>;

  std::shared_ptr<const Package> open_package(const std::filesystem::path& file, std::string shown, std::string target,
                                              document::Diagnostics& diagnostics);

  std::filesystem::path folder_;  ///< where the translation will stand; empty: it is only read
  document::Diagnostics& diagnostics_;
  std::shared_ptr<Packages> owner_ = std::make_shared<Packages>();
  std::map<std::string, std::shared_ptr<const document::Document>> documents_;
  std::map<std::string, std::shared_ptr<const fmi::Description>> descriptions_;
  std::map<std::filesystem::path, std::filesystem::path> companions_;  ///< by where they will be
};

}  // namespace tieline::interchange::ssp
