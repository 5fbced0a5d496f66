#include "document/line_starts.hpp"

#include <algorithm>

namespace tieline::document {

LineStarts::LineStarts(std::string_view text) {
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) starts_.push_back(at + 1);
}

int LineStarts::line_at(std::size_t offset) const {
  return static_cast<int>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin());
}

int LineStarts::column_at(std::string_view text, std::size_t offset) const {
  offset = std::min(offset, text.size());
  const std::size_t begin = starts_[static_cast<std::size_t>(line_at(offset)) - 1];
  // Those bytes that begin a UTF-8 sequence.
  const std::string_view before = text.substr(begin, offset - begin);
  return 1 + static_cast<int>(std::count_if(before.begin(), before.end(),
                                            [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace tieline::document
