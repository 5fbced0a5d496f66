#include "document/line_starts.hpp"

#include <algorithm>

namespace tieline::document {
namespace {

/// Characters in UTF-8: bytes that start a sequence.
std::size_t count_characters(std::string_view text) {
  const auto starts_one = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_one));
}

}  // namespace

LineStarts::LineStarts(std::string_view text) {
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) starts_.push_back(at + 1);
  for (std::size_t at = 0; at + kBlock <= text.size(); at += kBlock) {
    characters_.push_back(characters_.back() + count_characters(text.substr(at, kBlock)));
  }
}

int LineStarts::line_at(std::size_t offset) const {
  return static_cast<int>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin());
}

int LineStarts::column_at(std::string_view text, std::size_t offset) const {
  offset = std::min(offset, text.size());
  const auto characters_before = [&](std::size_t at) {
    const std::size_t block = at / kBlock;
    return characters_[block] + count_characters(text.substr(block * kBlock, at - block * kBlock));
  };
  const std::size_t start = starts_[static_cast<std::size_t>(line_at(offset)) - 1];
  return 1 + static_cast<int>(characters_before(offset) - characters_before(start));
}

}  // namespace tieline::document
