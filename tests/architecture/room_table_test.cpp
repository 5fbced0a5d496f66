// The table of rooms in docs/architecture.md: whether it can be right at all, and whether it fits the folders.

#include "architecture/room_table.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace tieline::architecture {
namespace room_table_test {

namespace fs = std::filesystem;

std::string problems_in(const std::string& page, const std::set<std::string>& folders) {
  std::string text;
  for (const std::string& problem : problems_of(read_room_table(page), folders)) text += problem + "\n";
  return text;
}

TEST(RoomTable, FitsTheFolders) {
  const fs::path root = TIELINE_SOURCE_DIR;
  std::ifstream page(root / "docs/architecture.md");
  std::set<std::string> folders;
  for (const auto& entry : fs::directory_iterator(root / "src")) {
    if (entry.is_directory()) folders.insert(entry.path().filename().string());
  }
  EXPECT_EQ(problems_in({std::istreambuf_iterator<char>(page), {}}, folders), "");
}

TEST(RoomTable, IsRead) {
  const RoomTable table =
      read_room_table("text\n| room | holds |\n| `a` | x | | |\n| `b` | `y` | `a` | `fmt` `json` |\n");
  ASSERT_EQ(table.rooms.size(), 2U);
  EXPECT_TRUE(table.rooms[0].uses.empty());
  EXPECT_EQ(table.rooms[1].uses, std::vector<std::string>{"a"});
  EXPECT_EQ(table.rooms[1].links, (std::vector<std::string>{"fmt", "json"}));
  EXPECT_EQ(reachable(table.rooms).at("b"), (std::set<std::string>{"a", "b"}));
}

TEST(RoomTable, MistakesAreNamed) {
  EXPECT_EQ(problems_in("nothing", {}), "the table of rooms is missing\n");
  EXPECT_EQ(problems_in("| `a` | x | |\n| `b` | | | |\n", {"b"}),
            "expected | `room` | holds | may use | links |: | `a` | x | |\n");
  EXPECT_EQ(problems_in("| `a` | x | | |\n", {"a", "b"}), "folder src/b has no row in the table of rooms\n");
  EXPECT_EQ(problems_in("| `a` | x | | |\n| `b` | x | | |\n", {"a"}), "room 'b' has no folder under src/\n");
  EXPECT_EQ(problems_in("| `a` | x | | |\n| `a` | x | | |\n", {"a"}), "room 'a' has two rows\n");
  EXPECT_EQ(problems_in("| `a` | x | `b` | |\n| `b` | x | | |\n", {"a", "b"}),
            "room 'a' may use 'b', which is not a room above its row\n");
}

TEST(RoomTable, CyclesAreNamed) {
  const std::string problems =
      problems_in("| `a` | x | `b` | |\n| `b` | x | `a` | |\n| `c` | x | `a` | |\n", {"a", "b", "c"});
  EXPECT_NE(problems.find("room 'a' uses itself"), std::string::npos);
  EXPECT_NE(problems.find("room 'b' uses itself"), std::string::npos);
  EXPECT_EQ(problems.find("room 'c' uses itself"), std::string::npos);
}

}  // namespace room_table_test
}  // namespace tieline::architecture
