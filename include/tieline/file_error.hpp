#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tieline/export.hpp"
#include "tieline/problem.hpp"

namespace tieline {

/// A file or folder cannot be read or written, or does not contain what it should: `what()` names it and the reason.
class TIELINE_PUBLIC FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  FileError(const std::string& what, std::vector<Problem> problems)
      : std::runtime_error(what), problems_(std::move(problems)) {}

  /// The problems with their positions, for calls that can find several; otherwise empty. A problem that an option of
  /// the call would solve has advice.
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_{};
};

}  // namespace tieline
