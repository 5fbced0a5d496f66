#include "fmi/loading.hpp"

#include <map>
#include <utility>
#include <vector>

namespace tieline::fmi {
namespace {

/// The letter by which messages of FMI 2.0 name the type of a variable.
char letter_of(Type type) {
  switch (type) {
    case Type::float64:
      return 'r';
    case Type::boolean:
      return 'b';
    case Type::string:
      return 's';
    default:
      return 'i';
  }
}

}  // namespace

core::Result<LoadedFmu> load_fmu(Archive& archive, const Description& description, InterfaceType type) {
  const bool is_exchange = type == InterfaceType::model_exchange;
  const InterfaceFacts* facts = nullptr;
  if (is_exchange && description.model_exchange) facts = &*description.model_exchange;
  if (!is_exchange && description.co_simulation) facts = &*description.co_simulation;
  if (facts == nullptr) {
    return core::Error{core::ErrorCode::unsupported,
                       std::string("the FMU cannot be run by ") + (is_exchange ? "model exchange" : "co-simulation")};
  }
  std::vector<std::string> folders;
  for (const Platform& platform : archive.platforms()) folders.push_back(platform.name);
  auto platform = choose_platform(description.version, folders);
  if (!platform) return std::move(platform.error());
  auto folder = archive.provide("binaries/" + platform->folder);
  if (!folder) return std::move(folder.error());
  LoadedFmu fmu;
  fmu.warning = platform->warning;
  // Where there are none an instance is told where they would be.
  fmu.resources = folder->parent_path().parent_path() / "resources";
  if (archive.has("resources")) {
    auto resources = archive.provide("resources");
    if (!resources) return std::move(resources.error());
    fmu.resources = *resources;
  }
  auto library = Library::open({*folder, facts->model_identifier, description.version, type});
  if (!library) return std::move(library.error());
  fmu.library = std::move(*library);
  return fmu;
}

InstanceSettings settings_for(const Description& description, const LoadedFmu& fmu, std::string name) {
  InstanceSettings settings;
  settings.name = std::move(name);
  settings.token = description.token;
  settings.resources = fmu.resources;
  for (const Unknown& derivative : description.structure.derivatives) {
    settings.state_count += description.variables[derivative.variable].element_count();
  }
  settings.indicator_count = description.event_indicator_count;
  // Messages are rare: the first one pays for the table.
  settings.variable_names = [&description, names = std::map<std::pair<char, std::uint32_t>, std::uint32_t>{}](
                                char letter, std::uint32_t reference) mutable -> std::string {
    if (names.empty()) {
      for (std::uint32_t i = 0; i < description.variables.size(); ++i) {
        const Variable& variable = description.variables[i];
        names.try_emplace({letter_of(variable.type), variable.reference}, i);
      }
    }
    const auto found = names.find({letter, reference});
    return found == names.end() ? std::string() : description.variables[found->second].name;
  };
  return settings;
}

}  // namespace tieline::fmi
