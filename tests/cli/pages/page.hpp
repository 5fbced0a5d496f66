#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "claim.hpp"

// Reads pages of documentation as tests need them. A page consists of what a reader sees and of notes in comments:
//
//   <!-- file: NAME -->   the next block is a file of that name, which the commands below it use
//   <!-- program -->, <!-- library program -->   the next block is the source of a program that the tests build
//   <!-- claims ... -->   one claim a line: how each number of the text above is computed (claim.hpp)
//   <!-- given: "TEXT", ... -->   texts of the page whose numbers nothing computes: parameters, versions, definitions
//   <!-- given from here: REASON -->, <!-- given to here -->   all numbers between are given
//
// Each number that the page states in words or tables is part of a claim or of a given text; numbers in code are not
// counted, as the commands that use them are run.
//
// Blocks of `sh` are commands, each of which ends with the exit code in its comment "# exit code N" (0 without one).
// Blocks of `text` below them are lines of their output.

namespace tieline::cli {

/// A piece of a page that a test does something with, in the order of the page.
struct PagePart {
  enum class Kind { block, claims };
  Kind kind = Kind::block;
  std::string language{};       ///< of a block
  std::string note{};           ///< the line before a block
  std::string text{};           ///< of a block
  std::vector<Claim> claims{};  ///< of a comment
};

struct Page {
  std::vector<PagePart> parts{};
  std::string visible{};                ///< everything but comments, with single spaces between words
  std::string prose{};                  ///< the same without blocks and headings
  std::vector<std::string> given{};     ///< texts whose numbers nothing computes
  std::vector<std::string> problems{};  ///< claims that cannot be read
};

[[nodiscard]] inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The words of a text with single spaces between them: a claim may stand on two lines of a page.
[[nodiscard]] inline std::string with_single_spaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t';
    if (!is_space) result += c;
    if (is_space && !result.empty() && result.back() != ' ') result += ' ';
  }
  return result;
}

/// A line of a numbered list without its number.
[[nodiscard]] inline std::string without_list_number(const std::string& line) {
  static const std::regex number(R"(^ *[0-9]+\. )");
  return std::regex_replace(line, number, "");
}

/// Texts between quotation marks.
[[nodiscard]] inline std::vector<std::string> quoted_in(const std::string& text) {
  std::vector<std::string> quotes;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos;) {
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string::npos) break;
    quotes.push_back(with_single_spaces(text.substr(at + 1, end - at - 1)));
    at = end + 1;
  }
  return quotes;
}

[[nodiscard]] inline Page page_of(const std::string& text) {
  enum class Place { prose, block, claims, given };
  Page page;
  std::string seen, prose, given, previous;
  Place place = Place::prose;
  bool is_given = false;
  const auto end_given = [&] {
    const auto quotes = quoted_in(given);
    page.given.insert(page.given.end(), quotes.begin(), quotes.end());
    given.clear();
    place = Place::prose;
  };
  for (const std::string& line : lines_of(text)) {
    switch (place) {
      case Place::claims:
        if (line == "-->") {
          place = Place::prose;
        } else if (auto claim = claim_of(line)) {
          page.parts.back().claims.push_back(*std::move(claim));
        } else {
          page.problems.push_back("not a claim: " + line);
        }
        break;
      case Place::given:
        given += line + " ";
        if (line.ends_with("-->")) end_given();
        break;
      case Place::block:
        if (line.starts_with("```")) {
          place = Place::prose;
        } else {
          page.parts.back().text += line + "\n";
          seen += line + "\n";
        }
        break;
      case Place::prose:
        if (line.starts_with("```")) {
          place = Place::block;
          page.parts.push_back({.language = line.substr(3), .note = previous});
        } else if (line == "<!-- claims") {
          place = Place::claims;
          page.parts.push_back({.kind = PagePart::Kind::claims});
        } else if (line.starts_with("<!-- given:")) {
          place = Place::given;
          given = line + " ";
          if (line.ends_with("-->")) end_given();
        } else if (line.starts_with("<!-- given from here:") || line == "<!-- given to here -->") {
          is_given = line != "<!-- given to here -->";
        } else if (!line.starts_with("<!--")) {
          seen += line + "\n";
          if (!line.starts_with("#") && !is_given) prose += without_list_number(line) + "\n";
        }
        break;
    }
    previous = line;
  }
  if (place == Place::claims || place == Place::given)
    page.problems.push_back("a comment has no end: '-->' on a line of its own");
  if (place == Place::block) page.problems.push_back("a block has no end");
  page.visible = with_single_spaces(seen);
  page.prose = with_single_spaces(prose);
  return page;
}

/// Numbers of a page's prose that no claim computes and that are not given, each with the words around it; and texts
/// that are given, but not in the page.
[[nodiscard]] inline std::vector<std::string> loose_numbers(const Page& page) {
  std::vector<std::string> loose;
  std::vector<bool> is_covered(page.prose.size(), false);
  const auto cover = [&](const std::string& text) {
    bool is_found = false;
    for (std::size_t at = 0; !text.empty() && (at = page.prose.find(text, at)) != std::string::npos;
         at += text.size()) {
      std::fill_n(is_covered.begin() + static_cast<std::ptrdiff_t>(at), text.size(), true);
      is_found = true;
    }
    return is_found;
  };
  for (const PagePart& part : page.parts) {
    for (const Claim& claim : part.claims) cover(with_single_spaces(claim.stated));
  }
  for (const std::string& text : page.given) {
    if (!cover(text)) loose.push_back("given, but not in the page: " + text);
  }
  // Code, where links lead, and references are not counted.
  static const std::regex apart(
      R"(`[^`]*`|\]\([^)]*\)|\[[A-Za-z]+[0-9]{4}\]|(decision|[Ss]ection|Figures?|eq\.|Debian|FMI) [0-9]+(\.[0-9]+)*(, [0-9]+\.[0-9]+)*( (and|or|to) [0-9]+(\.[0-9]+)*)?)");
  for (auto match = std::sregex_iterator(page.prose.begin(), page.prose.end(), apart); match != std::sregex_iterator();
       ++match) {
    std::fill_n(is_covered.begin() + match->position(), match->length(), true);
  }
  static const std::regex number(R"((^|[^A-Za-z0-9_.])([0-9]+(\.[0-9]+)?))");
  for (auto match = std::sregex_iterator(page.prose.begin(), page.prose.end(), number); match != std::sregex_iterator();
       ++match) {
    const auto at = static_cast<std::size_t>(match->position(2));
    if (is_covered[at]) continue;
    const std::size_t start = page.prose.rfind(' ', at < 30 ? 0 : at - 30);
    loose.push_back(page.prose.substr(start == std::string::npos ? 0 : start + 1, 70));
  }
  return loose;
}

}  // namespace tieline::cli
