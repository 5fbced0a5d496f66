#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "document/scope.hpp"
#include "document/xml.hpp"
#include "model/composite_model.hpp"
#include "model/library.hpp"

/// What the reader of models knows of each model, outermost or nested, while it reads it.
namespace tieline::model {

/// What a nested model offers to the model around it.
struct Exports {
  bool is_complete = true;  ///< false: the nested model could not be read, so a missing name is not worth a report
  std::map<std::string, Endpoint> interfaces{};
  std::set<std::string> left_out{};  ///< interfaces of disabled components
};

/// Where a reference leads.
struct Target {
  std::optional<Endpoint> end{};
  std::string left_out{};  ///< the disabled component that it leads to, if so
};

/// One composite model while it is read: the outermost one, or a nested one.
struct Level {
  document::Element root{};
  std::filesystem::path file{};
  std::string prefix{};  ///< "sub." in front of names
  Settings settings{};   ///< what its components inherit
  std::unordered_map<std::string, int> components{};
  std::unordered_map<std::string, Exports> nested{};
  std::set<std::string> left_out{};                         ///< names of disabled components
  std::vector<std::filesystem::path> chain{};               ///< files around it, outermost first, itself last
  int frame = -1;                                           ///< of its components
  Shelf::Index libraries{};                                 ///< that it names itself
  std::vector<std::pair<int, document::Scope>> attached{};  ///< frames of attached components

  [[nodiscard]] bool knows(const std::string& name) const {
    return components.contains(name) || nested.contains(name) || left_out.contains(name);
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, index] : components) all.push_back(name);
    for (const auto& [name, exports] : nested) all.push_back(name);
    all.insert(all.end(), left_out.begin(), left_out.end());
    std::sort(all.begin(), all.end());
    return all;
  }
};

}  // namespace tieline::model
