// The rooms of docs/architecture.md: what each folder under src/ may include.

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "architecture/room_table.hpp"
#include "architecture/source_tree.hpp"

namespace tieline::architecture {
namespace rooms_test {

using Modules = std::set<std::string>;

/// For each room of docs/architecture.md, itself and all that it may use, directly or not.
std::map<std::string, Modules> rooms_of_the_table() {
  std::ifstream page(std::filesystem::path(TIELINE_SOURCE_DIR) / "docs/architecture.md");
  return reachable(read_room_table({std::istreambuf_iterator<char>(page), {}}).rooms);
}

struct Include {
  std::string target{};
  bool is_quoted = false;
};

std::optional<Include> include_on(const std::string& line) {
  const auto hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#') return std::nullopt;
  const auto word = line.find_first_not_of(" \t", hash + 1);
  if (word == std::string::npos || line.compare(word, 7, "include") != 0) return std::nullopt;
  const auto open = line.find_first_of("<\"", word);
  if (open == std::string::npos) return std::nullopt;
  const auto close = line.find_first_of(">\"", open + 1);
  return Include{line.substr(open + 1, close - open - 1), line[open] == '"'};
}

/// Calls check(file, line number, include) for each include below a folder.
template <class Check>
void for_each_include(const std::string& folder, Check&& check) {
  for (const SourceFile& file : source_files(folder)) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (const auto include = include_on(file.lines[i])) check(file, i + 1, *include);
    }
  }
}

TEST(Rooms, EveryFolderIsAKnownRoom) {
  const auto rooms = rooms_of_the_table();
  for (const SourceFile& file : source_files("src")) {
    EXPECT_TRUE(rooms.contains(file.module_below("src"))) << file.path << " is in no known room";
  }
}

TEST(Rooms, IncludesNeverPointUpwards) {
  const auto rooms = rooms_of_the_table();
  for_each_include("src", [&](const SourceFile& file, std::size_t line, const Include& include) {
    if (!include.is_quoted || include.target.starts_with("tieline/")) return;
    const std::string from = file.module_below("src");
    const std::string to = include.target.substr(0, include.target.find('/'));
    if (!rooms.contains(from)) return;
    EXPECT_TRUE(rooms.at(from).contains(to))
        << file.path << ":" << line << ": " << from << " may not include \"" << include.target << "\"";
  });
}

TEST(Rooms, QuotedIncludesExist) {
  const std::filesystem::path root = TIELINE_SOURCE_DIR;
  for_each_include("src", [&](const SourceFile& file, std::size_t line, const Include& include) {
    if (!include.is_quoted) return;
    EXPECT_TRUE(exists(root / "src" / include.target) || exists(root / "include" / include.target))
        << file.path << ":" << line << ": write \"" << include.target << "\" as \"module/file.hpp\"";
  });
}

TEST(Rooms, PublicHeadersAreForTheTopOnly) {
  const Modules tops{"plugin", "builder", "custom", "simulation", "api", "cli"};
  for_each_include("src", [&](const SourceFile& file, std::size_t line, const Include& include) {
    if (!include.target.starts_with("tieline/")) return;
    EXPECT_TRUE(tops.contains(file.module_below("src")))
        << file.path << ":" << line << ": a lower room may not know the public interface";
  });
}

TEST(Rooms, TheProgramUsesPublicHeadersOnly) {
  for_each_include("src/cli", [&](const SourceFile& file, std::size_t line, const Include& include) {
    const bool is_ours = include.target.starts_with("cli/") || include.target.starts_with("tieline/");
    EXPECT_TRUE(!include.is_quoted || is_ours)
        << file.path << ":" << line << ": what the program can do a program of a user can do as well; \""
        << include.target << "\" is private";
  });
}

TEST(Rooms, PublicHeadersStandAlone) {
  for_each_include("include", [&](const SourceFile& file, std::size_t line, const Include& include) {
    const bool is_standard = !include.is_quoted && include.target.find('/') == std::string::npos;
    EXPECT_TRUE(is_standard || include.target.starts_with("tieline/"))
        << file.path << ":" << line << ": users do not have \"" << include.target << "\"";
  });
}

TEST(Rooms, WavesUseTheStandardLibraryOnly) {
  for_each_include("src/wave", [&](const SourceFile& file, std::size_t line, const Include& include) {
    if (include.is_quoted) return;
    EXPECT_EQ(include.target.find_first_of("/."), std::string::npos)
        << file.path << ":" << line << ": wave/ also goes into the plug-in and may not need <" << include.target << ">";
  });
}

TEST(Rooms, WhatStreamsAreMadeOfIsTransportsAlone) {
  const Modules inside{"transport/attachment_access.hpp",
                       "transport/byte_ring.hpp",
                       "transport/descriptor.hpp",
                       "transport/endpoint.hpp",
                       "transport/shared_stream.hpp",
                       "transport/socket_door.hpp",
                       "transport/shared_memory_factory.hpp",
                       "transport/socket_stream.hpp",
                       "transport/tcp_factory.hpp"};
  for_each_include("src", [&](const SourceFile& file, std::size_t line, const Include& include) {
    if (file.module_below("src") == "transport") return;
    EXPECT_FALSE(inside.contains(include.target))
        << file.path << ":" << line
        << ": other rooms have streams and offers of transport/stream_factory.hpp, and not \"" << include.target
        << "\"";
  });
}

TEST(Rooms, HeadersDeclareTheirRoomsNamespace) {
  for (const SourceFile& file : source_files("src")) {
    if (!file.path.ends_with(".hpp")) continue;
    const std::string wanted = "namespace tieline::" + file.module_below("src");
    const bool found = std::any_of(file.lines.begin(), file.lines.end(),
                                   [&](const std::string& line) { return line.starts_with(wanted); });
    EXPECT_TRUE(found) << file.path << " has no '" << wanted << "'";
  }
}

}  // namespace rooms_test
}  // namespace tieline::architecture
