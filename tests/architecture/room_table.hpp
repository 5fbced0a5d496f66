#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tieline::architecture {

/// A row of the table of rooms in docs/architecture.md, which CMake reads as well (cmake/rooms.cmake).
struct Room {
  std::string name{};
  std::vector<std::string> uses{};
  std::vector<std::string> links{};
};

struct RoomTable {
  std::vector<Room> rooms{};            ///< lowest first
  std::vector<std::string> problems{};  ///< rows that are none
};

/// The words in `backquotes` of a cell.
inline std::vector<std::string> quoted_words(const std::string& cell) {
  std::vector<std::string> words;
  for (std::size_t open = cell.find('`'); open != std::string::npos;) {
    const std::size_t close = cell.find('`', open + 1);
    if (close == std::string::npos) break;
    words.push_back(cell.substr(open + 1, close - open - 1));
    open = cell.find('`', close + 1);
  }
  return words;
}

/// Reads the rows | `room` | holds | may use | links | of a page.
inline RoomTable read_room_table(const std::string& page) {
  RoomTable table;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(1));
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
    const auto names = cells.empty() ? std::vector<std::string>{} : quoted_words(cells.front());
    if (cells.size() != 4 || names.size() != 1 || !line.ends_with('|')) {
      table.problems.push_back("expected | `room` | holds | may use | links |: " + line);
      continue;
    }
    table.rooms.push_back({names.front(), quoted_words(cells[2]), quoted_words(cells[3])});
  }
  return table;
}

/// Rooms that can be reached from themselves.
inline std::vector<std::string> rooms_in_cycles(const std::vector<Room>& rooms) {
  std::map<std::string, std::vector<std::string>> uses;
  for (const Room& room : rooms) uses[room.name] = room.uses;
  std::vector<std::string> result;
  for (const Room& room : rooms) {
    std::set<std::string> seen;
    const std::function<bool(const std::string&)> leads_back = [&](const std::string& name) {
      const auto& below = uses[name];
      return std::any_of(below.begin(), below.end(), [&](const std::string& used) {
        return used == room.name || (seen.insert(used).second && leads_back(used));
      });
    };
    if (leads_back(room.name)) result.push_back(room.name);
  }
  return result;
}

/// What is wrong with a table, given the folders under src/.
inline std::vector<std::string> problems_of(const RoomTable& table, const std::set<std::string>& folders) {
  std::vector<std::string> problems = table.problems;
  if (table.rooms.empty()) problems.push_back("the table of rooms is missing");
  std::set<std::string> above;
  for (const Room& room : table.rooms) {
    if (!folders.contains(room.name)) problems.push_back("room '" + room.name + "' has no folder under src/");
    for (const std::string& used : room.uses) {
      if (!above.contains(used)) {
        problems.push_back("room '" + room.name + "' may use '" + used + "', which is not a room above its row");
      }
    }
    if (!above.insert(room.name).second) problems.push_back("room '" + room.name + "' has two rows");
  }
  for (const std::string& folder : folders) {
    if (!above.contains(folder)) problems.push_back("folder src/" + folder + " has no row in the table of rooms");
  }
  for (const std::string& room : rooms_in_cycles(table.rooms)) {
    problems.push_back("room '" + room + "' uses itself by way of others");
  }
  return problems;
}

/// For each room of a table without problems, itself and all that it may use, directly or not.
inline std::map<std::string, std::set<std::string>> reachable(const std::vector<Room>& rooms) {
  std::map<std::string, std::set<std::string>> result;
  for (const Room& room : rooms) {
    std::set<std::string> all{room.name};
    for (const std::string& used : room.uses) all.insert(result[used].begin(), result[used].end());
    result[room.name] = std::move(all);
  }
  return result;
}

}  // namespace tieline::architecture
