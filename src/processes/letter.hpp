#pragma once

#include <filesystem>
#include <istream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "transport/token.hpp"

namespace tieline::processes {

/// Variable that has a runner read a letter: from its standard input ("-"), or from this file.
inline constexpr const char* kLetterVariable = "TIELINE_LETTER";

/// All that a process on another machine needs to take part in a run, with the files that it is to read. The letter is
/// a secret: whoever has it can join in its name.
struct Letter {
  std::string master{};  ///< address
  transport::Token token{};
  std::string component{};
  std::string card{};         ///< as NetworkCard::text
  std::string work_folder{};  ///< where files of runs go; relative to the home folder
  std::vector<std::pair<std::string, std::string>> environment{};
};

/// Writes a letter with these files, for its owner's eyes only. Folders stand for the files in them.
[[nodiscard]] core::Result<void> write_letter(const std::filesystem::path& file, const Letter& letter,
                                              const std::set<std::string>& files);

/// A letter that has come, with its files below a folder of its own, which goes with this object. A file is found there
/// by its path on the machine that it comes from.
class OpenedLetter {
 public:
  /// Reads to the end of the letter. Nothing is written outside of the folder.
  [[nodiscard]] static core::Result<OpenedLetter> read(std::istream& stream);
  OpenedLetter(OpenedLetter&& other) noexcept;
  OpenedLetter& operator=(OpenedLetter&&) = delete;
  ~OpenedLetter();

  [[nodiscard]] const Letter& letter() const { return letter_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Where a file is that was at this path.
  [[nodiscard]] std::filesystem::path place_of(const std::string& path) const;

 private:
  OpenedLetter() = default;

  Letter letter_{};
  std::filesystem::path folder_;
};

}  // namespace tieline::processes
