#pragma once

#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace tieline::report {

inline std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; at += part.size()) ++count;
  return count;
}

/// Whether tags nest and close, and nothing odd stands between them: enough for the plain SVG that we write.
inline ::testing::AssertionResult is_well_formed(std::string_view xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] == '&') {
      const auto entity = xml.substr(at, xml.find(';', at) + 1 - at);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;")
        return ::testing::AssertionFailure() << "bare & at " << at;
    }
    if (xml[at] != '<') {
      ++at;
      continue;
    }
    const auto end = xml.find('>', at);
    if (end == std::string_view::npos) return ::testing::AssertionFailure() << "unfinished tag at " << at;
    const auto tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string_view::npos || count_of(tag, "\"") % 2 != 0)
      return ::testing::AssertionFailure() << "odd tag <" << tag << ">";
    const std::string name(tag.substr(0, tag.find_first_of(" /", 1)));
    if (name.front() == '/') {
      if (open.empty() || name.substr(1) != open.back())
        return ::testing::AssertionFailure() << "<" << name << "> closes nothing";
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end + 1;
  }
  if (!open.empty()) return ::testing::AssertionFailure() << "<" << open.back() << "> is not closed";
  return ::testing::AssertionSuccess();
}

}  // namespace tieline::report
