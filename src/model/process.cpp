#include "model/process.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "document/grammar_names.hpp"
#include "document/rules.hpp"

namespace tieline::model {
namespace {

/// Environment variables of programs begin with this.
constexpr std::string_view kReserved = "TIELINE_";

// In the order of the enumerations.
constexpr std::array<std::string_view, 3> kTransports{"auto", "shared_memory", "tcp"};
constexpr std::array<std::string_view, 2> kRoutings{"direct", "master"};

template <class Word, std::size_t count>
std::optional<Word> find_word(const std::array<std::string_view, count>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Word>(found - names.begin());
}

}  // namespace

std::array<std::string_view, 3> all_transport_names() { return kTransports; }
std::string_view name_of(Transport transport) { return kTransports[static_cast<std::size_t>(transport)]; }
std::optional<Transport> transport_from_name(std::string_view name) { return find_word<Transport>(kTransports, name); }
std::array<std::string_view, 2> all_routing_names() { return kRoutings; }
std::string_view name_of(Routing routing) { return kRoutings[static_cast<std::size_t>(routing)]; }
std::optional<Routing> routing_from_name(std::string_view name) { return find_word<Routing>(kRoutings, name); }

document::ElementRule environment_rule() {
  using document::rules::of_type;
  using document::rules::required;
  return {.name = "Environment",
          .description = "An environment variable of a program that the run starts.",
          .attributes = {
              required(of_type(document::AttributeType::identifier, "name",
                               "Name; names that start with `TIELINE_` are reserved.")),
              required(document::rules::text("value", "Text; `{words}` in braces are replaced as in commands."))}};
}

std::vector<EnvironmentVariable> read_environment(const document::Element& element,
                                                  document::Diagnostics& diagnostics) {
  std::vector<EnvironmentVariable> variables;
  for (const auto& child : element.children("Environment")) {
    EnvironmentVariable variable{child.get("name"), child.get("value"), child};
    const auto place = child.place_of("name");
    if (!document::is_identifier(variable.name)) continue;  // reported by the check against the grammar
    const bool stands_twice =
        std::any_of(variables.begin(), variables.end(), [&](const auto& other) { return other.name == variable.name; });
    if (stands_twice) {
      diagnostics.error(place, fmt::format("variable '{}' appears twice", variable.name));
    } else if (variable.name.starts_with(kReserved)) {
      diagnostics.error(place, fmt::format("variables that start with {} are reserved: they describe the component to "
                                           "its program; choose another name than '{}'",
                                           kReserved, variable.name));
    } else {
      variables.push_back(std::move(variable));
    }
  }
  return variables;
}

}  // namespace tieline::model
