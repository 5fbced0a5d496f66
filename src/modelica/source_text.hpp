#pragma once

#include <string>
#include <string_view>

#include "document/diagnostics.hpp"
#include "document/line_starts.hpp"

namespace tieline::modelica {

/// The text of a file, with places. What is parsed from it refers to it, so it neither moves nor changes.
class SourceText {
 public:
  SourceText(std::string file, std::string text)
      : file_(std::move(file)), text_(std::move(text)), line_starts_(text_) {}
  SourceText(const SourceText&) = delete;
  SourceText& operator=(const SourceText&) = delete;

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] document::Place place_at(std::size_t offset) const {
    return {file_, line_starts_.line_at(offset), line_starts_.column_at(text_, offset)};
  }

 private:
  std::string file_;
  std::string text_;
  document::LineStarts line_starts_;
};

}  // namespace tieline::modelica
