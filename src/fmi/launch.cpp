#include "fmi/launch.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <type_traits>

#include "fmi/binary_check.hpp"
#include "fmi/clock_state.hpp"
#include "fmi/fmu_file.hpp"

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

std::string variable_name(const Description& description, char letter, std::uint32_t reference) {
  for (const Variable& variable : description.variables) {
    const char own = variable.type == Type::float64   ? 'r'
                     : variable.type == Type::boolean ? 'b'
                     : variable.type == Type::string  ? 's'
                                                      : 'i';
    if (own == letter && variable.reference == reference) return variable.name;
  }
  return {};
}

template <class Value, class List>
Result<void> set_all(Instance& instance, const Variable& variable, const List& given) {
  const std::uint32_t reference = variable.reference;
  std::vector<Value> values;
  for (const auto& each : given) values.push_back(static_cast<Value>(each));
  if constexpr (std::is_same_v<Value, std::uint8_t>) {
    if (variable.type == Type::boolean) {
      const auto flags = std::make_unique<bool[]>(values.size());
      for (std::size_t k = 0; k < values.size(); ++k) flags[k] = values[k] != 0;
      return instance.set(References(&reference, 1), std::span<const bool>(flags.get(), values.size()));
    }
  }
  return instance.set(References(&reference, 1), std::span<const Value>(values));
}

Result<void> set_texts(Instance& instance, const Variable& variable, const std::vector<std::string>& given) {
  const std::uint32_t reference = variable.reference;
  if (variable.type == Type::binary) {
    std::vector<std::size_t> sizes;
    std::vector<const std::uint8_t*> bytes;
    for (const std::string& each : given) {
      sizes.push_back(each.size());
      bytes.push_back(reinterpret_cast<const std::uint8_t*>(each.data()));
    }
    return instance.set_binary(References(&reference, 1), sizes, bytes);
  }
  std::vector<const char*> texts;
  for (const std::string& each : given) texts.push_back(each.c_str());
  return instance.set(References(&reference, 1), std::span<const char* const>(texts));
}

Result<void> set_start(Instance& instance, const Variable& variable, const StartValue& start) {
  return std::visit(
      [&](const auto& given) -> Result<void> {
        using List = std::decay_t<decltype(given)>;
        if constexpr (std::is_same_v<List, std::monostate>) {
          return {};
        } else if constexpr (std::is_same_v<List, std::vector<std::string>>) {
          return set_texts(instance, variable, given);
        } else {
          switch (variable.type) {
            case Type::float64:
              return set_all<double>(instance, variable, given);
            case Type::float32:
              return set_all<float>(instance, variable, given);
            case Type::int8:
              return set_all<std::int8_t>(instance, variable, given);
            case Type::uint8:
            case Type::boolean:
              return set_all<std::uint8_t>(instance, variable, given);
            case Type::int16:
              return set_all<std::int16_t>(instance, variable, given);
            case Type::uint16:
              return set_all<std::uint16_t>(instance, variable, given);
            case Type::int32:
              return set_all<std::int32_t>(instance, variable, given);
            case Type::uint32:
              return set_all<std::uint32_t>(instance, variable, given);
            case Type::int64:
            case Type::enumeration:
              return set_all<std::int64_t>(instance, variable, given);
            case Type::uint64:
              return set_all<std::uint64_t>(instance, variable, given);
            default:
              return {};
          }
        }
      },
      start.values);
}

/// What an instance needs on disk.
struct FmuFiles {
  std::filesystem::path root{};  ///< of the FMU's own files
  std::filesystem::path binaries{};
  std::filesystem::path resources{};  ///< an empty folder where the FMU brings none
};

Result<FmuFiles> files_of(const FmuSpec& spec) {
  FmuFiles files;
  const Description& description = *spec.description;
  const InterfaceFacts& own = spec.is_model_exchange ? static_cast<const InterfaceFacts&>(*description.model_exchange)
                                                     : *description.co_simulation;
  auto choice = choose_binary(*spec.archive, description.version, own.model_identifier);
  if (!choice) return choice.error();
  auto binaries = spec.archive->provide(choice->folder);
  if (!binaries) return binaries.error();
  files.binaries = files.root = *binaries;
  for (const auto& part : std::filesystem::path(choice->folder)) {
    if (!part.empty()) files.root = files.root.parent_path();
  }
  if (description.version == 1) {
    // FMI 1.0 does not say where an FMU's own files are: it may look anywhere.
    if (auto all = spec.archive->provide(""); !all) return all.error();
  }
  auto resources = spec.archive->provide_folder("resources");
  if (!resources) return resources.error();
  files.resources = *resources;
  return files;
}

}  // namespace

Result<std::filesystem::path> unpack(const FmuSpec& spec) {
  auto files = files_of(spec);
  if (!files) return files.error();
  return files->root;
}

Result<std::unique_ptr<Instance>> make_instance(const FmuSpec& spec, const RunFacts& facts, InstanceSettings settings,
                                                std::unique_ptr<Instance> earlier) {
  const Description& description = *spec.description;
  const InterfaceFacts& own = spec.is_model_exchange ? static_cast<const InterfaceFacts&>(*description.model_exchange)
                                                     : *description.co_simulation;
  auto files = files_of(spec);
  if (!files) return files.error();
  settings.resources = files->resources;
  settings.folder = files->root;
  const HostState host;
  const auto loaded = earlier ? earlier->library() : nullptr;
  earlier.reset();
  auto library = loaded ? core::Result(loaded)
                        : Library::open({.folder = files->binaries,
                                         .model_identifier = own.model_identifier,
                                         .version = description.version,
                                         .type = spec.is_model_exchange ? InterfaceType::model_exchange
                                                                        : InterfaceType::co_simulation});
  const auto changed = host.put_back();
  if (!changed.empty() && facts.on_message) {
    facts.on_message(
        fmt::format("warning: loading the FMU has changed {} of the process that computes it, which was put back",
                    fmt::join(changed, " and ")));
  }
  if (!library) return library.error();
  if (!(*library)->note().empty() && !loaded && facts.on_message) facts.on_message("warning: " + (*library)->note());
  settings.name = facts.name;
  settings.token = description.token;
  settings.visible = spec.is_visible;
  settings.logging = spec.is_logging;
  settings.runs_asynchronously = !spec.is_model_exchange && description.co_simulation->can_run_asynchronously;
  settings.state_count = description.structure.derivatives.size();
  settings.indicator_count = description.event_indicator_count;
  settings.negated_aliases = description.negated_aliases;
  settings.may_be_remade = !own.needs_execution_tool;  // which would be started twice
  if (!spec.is_model_exchange) settings.mime_type = description.co_simulation->mime_type;
  if (facts.on_message) {
    settings.log = [on_message = facts.on_message](const LogMessage& message) {
      const std::string category = message.category.empty() ? "" : fmt::format("[{}] ", message.category);
      const std::string level = message.status == Status::ok ? "" : name_of(message.status) + ": ";
      on_message(level + category + message.text);
    };
  }
  settings.variable_names = [shared = spec.description](char letter, std::uint32_t reference) {
    return variable_name(*shared, letter, reference);
  };
  auto made = Instance::create(std::move(*library), std::move(settings));
  if (made) (*made)->use_clock_state(ClockState::make(spec));
  return made;
}

Result<void> set_starts(Instance& instance, const FmuSpec& spec) {
  const auto set_those = [&](bool structural) -> Result<void> {
    for (const StartValue& start : spec.starts) {
      const Variable& variable = spec.description->variables[start.variable];
      if ((variable.causality == Causality::structural_parameter) != structural) continue;
      if (auto set = set_start(instance, variable, start); !set) {
        Error error = set.error();
        error.message = fmt::format("variable '{}': {}", variable.name, error.message);
        return error;
      }
    }
    return {};
  };
  const bool has_structural = std::any_of(spec.starts.begin(), spec.starts.end(), [&](const StartValue& start) {
    return spec.description->variables[start.variable].causality == Causality::structural_parameter;
  });
  if (has_structural) {
    if (auto entered = instance.enter_configuration(); !entered) return entered;
    if (auto set = set_those(true); !set) return set;
    if (auto left = instance.exit_configuration(); !left) return left;
  }
  return set_those(false);
}

}  // namespace tieline::fmi
