#include "bearings/catalogue.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

#include "core/library_folders.hpp"
#include "core/named_values.hpp"
#include "document/content_rules.hpp"
#include "document/rules.hpp"
#include "document/scope.hpp"

namespace tieline::bearings {
namespace {

namespace fs = std::filesystem;
using document::Diagnostics;
using document::Element;
using document::Place;

/// An attribute that is a number.
struct NumberField {
  std::string_view name;
  double& (*of)(Bearing&);
  std::string_view description;
  std::string_view otherwise;
};

#define TIELINE_FIELD(member) [](Bearing& b) -> double& { return b.member; }
constexpr std::array<NumberField, 19> kNumbers{{
    {"ball_diameter", TIELINE_FIELD(ball_diameter), "Diameter of the balls [m].", ""},
    {"pitch_diameter", TIELINE_FIELD(pitch_diameter), "Diameter of the circle of ball centres [m].", ""},
    {"inner_conformity", TIELINE_FIELD(inner_conformity),
     "Radius of the inner groove, as a part of the ball diameter; greater than 0.5.", "0.52"},
    {"outer_conformity", TIELINE_FIELD(outer_conformity), "The same of the outer groove.", "0.52"},
    {"clearance", TIELINE_FIELD(clearance),
     "Diametral clearance of a deep groove bearing as mounted [m]; negative: interference.", "0"},
    {"contact_angle", TIELINE_FIELD(contact_angle),
     "Contact angle of an angular contact bearing where all parts just touch [rad].", ""},
    {"preload", TIELINE_FIELD(preload), "Axial interference of two opposed rows [m]; negative: axial clearance.", "0"},
    {"row_spacing", TIELINE_FIELD(row_spacing), "Distance of the pitch planes of two rows [m].", ""},
    {"bore", TIELINE_FIELD(bore), "Bore diameter [m].", "not known"},
    {"outside_diameter", TIELINE_FIELD(outside_diameter), "Outside diameter [m].", "not known"},
    {"width", TIELINE_FIELD(width), "Width [m].", "not known"},
    {"inner_shoulder_diameter", TIELINE_FIELD(inner_shoulder_diameter), "Diameter of the inner ring's shoulders [m].",
     "by the balls"},
    {"outer_shoulder_diameter", TIELINE_FIELD(outer_shoulder_diameter), "Diameter of the outer ring's shoulders [m].",
     "by the balls"},
    {"ring_youngs_modulus", TIELINE_FIELD(ring_material.youngs_modulus), "Young's modulus of the rings [Pa].",
     "of the material"},
    {"ring_poissons_ratio", TIELINE_FIELD(ring_material.poissons_ratio), "Poisson's ratio of the rings.",
     "of the material"},
    {"ring_density", TIELINE_FIELD(ring_material.density), "Density of the rings [kg/m^3].", "of the material"},
    {"ball_youngs_modulus", TIELINE_FIELD(ball_material.youngs_modulus), "Young's modulus of the balls [Pa].",
     "of the material"},
    {"ball_poissons_ratio", TIELINE_FIELD(ball_material.poissons_ratio), "Poisson's ratio of the balls.",
     "of the material"},
    {"ball_density", TIELINE_FIELD(ball_material.density), "Density of the balls [kg/m^3].", "of the material"},
}};
#undef TIELINE_FIELD

constexpr std::array<std::string_view, 2> kMaterialNames{"steel", "ceramic"};

/// In the order in which they are read: materials before the numbers that change them.
constexpr std::array<std::string_view, 4> kWordNames{"design", "arrangement", "ring_material", "ball_material"};

std::span<const std::string_view> choices_of(std::string_view attribute) {
  if (attribute == "design") return kDesignNames;
  if (attribute == "arrangement") return kArrangementNames;
  return kMaterialNames;
}

bool is_word(std::string_view name) {
  return std::find(kWordNames.begin(), kWordNames.end(), name) != kWordNames.end();
}

void set_word(std::string_view name, std::string_view value, const Place& place, Bearing& bearing,
              Diagnostics& diagnostics) {
  const auto choices = choices_of(name);
  const auto found = std::find(choices.begin(), choices.end(), value);
  if (found == choices.end()) {
    diagnostics.error(place, fmt::format("{} must be one of {}, but is '{}'", name, fmt::join(choices, ", "), value));
    return;
  }
  const Material material = value == "ceramic" ? kCeramic : kSteel;
  if (name == "design") bearing.design = *core::value_named<Design>(choices, value);
  if (name == "arrangement") bearing.arrangement = *core::value_named<Arrangement>(choices, value);
  if (name == "ring_material") bearing.ring_material = material;
  if (name == "ball_material") bearing.ball_material = material;
}

void set_balls(double count, const Place& place, Bearing& bearing, Diagnostics& diagnostics) {
  if (!(count == std::floor(count)) || std::abs(count) > 1e6) {
    diagnostics.error(place, fmt::format("balls must be a whole number, but is {:g}", count));
    return;
  }
  bearing.balls = static_cast<int>(count);
}

std::vector<std::string> attribute_names() {
  std::vector<std::string> names{"balls"};
  names.insert(names.end(), kWordNames.begin(), kWordNames.end());
  for (const NumberField& field : kNumbers) names.emplace_back(field.name);
  return names;
}

}  // namespace

document::Grammar grammar() {
  using namespace document::rules;
  using document::AttributeType;
  const auto words = [](std::string_view name) {
    const auto choices = choices_of(name);
    return std::vector<std::string>(choices.begin(), choices.end());
  };
  document::ElementRule rule{
      .name = "Bearing",
      .description =
          "A ball bearing of one or two rows, in a [Library](#library) or alone in a file, for `tieline "
          "bearing` ([theory](bearings.md)).",
      .attributes = {name("Name of the type."),
                     text("type", "Bearing of a library that supplies everything that is not stated here."),
                     choice("design", "Shape of the grooves.", words("design"), "deep_groove"),
                     choice("arrangement",
                            "How rows stand: one row, or two whose lines of contact meet outside (`back_to_back`), "
                            "between (`face_to_face`) or on one side of the rows (`tandem`).",
                            words("arrangement"), "single"),
                     number("balls", "Number of balls in a row.")},
      .children = {"Description"},
      .once = {"Description"}};
  for (const NumberField& field : kNumbers) {
    rule.attributes.push_back(
        number(std::string(field.name), std::string(field.description), std::string(field.otherwise)));
  }
  rule.attributes.push_back(choice("ring_material", "Material of the rings.", words("ring_material"), "steel"));
  rule.attributes.push_back(
      choice("ball_material", "Material of the balls; ceramic is silicon nitride.", words("ball_material"), "steel"));
  return {{rule, document::description_rule()}};
}

void set_attribute(std::string_view name, std::string_view value, const Place& place, Bearing& bearing,
                   Diagnostics& diagnostics) {
  if (is_word(name)) {
    set_word(name, value, place, bearing, diagnostics);
    return;
  }
  const auto field = std::find_if(kNumbers.begin(), kNumbers.end(), [&](const auto& f) { return f.name == name; });
  if (name != "balls" && field == kNumbers.end()) {
    diagnostics.error(place,
                      fmt::format("a bearing has no '{}'{}", name, document::suggestion(name, attribute_names())));
    return;
  }
  const auto number = document::Scope().evaluate(value, place, diagnostics);
  if (!number) return;
  if (name == "balls") {
    set_balls(*number, place, bearing, diagnostics);
  } else {
    field->of(bearing) = *number;
  }
}

bool report_problems(const Bearing& bearing, const Place& place, Diagnostics& diagnostics) {
  const auto problems = problems_of(bearing);
  for (const GeometryProblem& problem : problems) {
    diagnostics.error(place, fmt::format("{} {}", problem.attribute, problem.message));
  }
  return problems.empty();
}

std::optional<Bearing> read_bearing(const Element& element, const Catalogue& catalogue, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.error_count();
  document::check_against(grammar(), element, diagnostics);
  if (diagnostics.error_count() > errors) return std::nullopt;
  Bearing bearing;
  if (element.has("type")) {
    const std::string type = element.get("type");
    const CatalogueEntry* entry = catalogue.find(type);
    if (entry == nullptr) {
      catalogue.report_missing(type, element.place_of("type"), "", diagnostics);
      return std::nullopt;
    }
    bearing = entry->bearing;
  }
  bearing.name = element.get("name");
  if (const std::string text = element.child("Description").text(); !text.empty()) bearing.description = text;
  const auto take = [&](std::string_view name) {
    if (element.has(name)) set_attribute(name, element.get(name), element.place_of(name), bearing, diagnostics);
  };
  for (const std::string& name : attribute_names()) take(name);
  if (diagnostics.error_count() > errors) return std::nullopt;
  const auto lacks = [&](std::string_view attribute) { return !element.has("type") && !element.has(attribute); };
  const bool is_incomplete = lacks("balls") || lacks("ball_diameter") || lacks("pitch_diameter");
  if (is_incomplete) diagnostics.error(element.place(), "state type, or balls, ball_diameter and pitch_diameter");
  for (const GeometryProblem& problem : problems_of(bearing)) {
    if (is_incomplete && lacks(problem.attribute)) continue;
    diagnostics.error(element.place_of(problem.attribute), fmt::format("{} {}", problem.attribute, problem.message));
  }
  if (diagnostics.error_count() > errors) return std::nullopt;
  return bearing;
}

Catalogue Catalogue::installed() {
  Catalogue catalogue;
  auto folders = core::library_folders();
  // Those that are searched first are read last, since they replace and may extend the others.
  std::reverse(folders.begin(), folders.end());
  for (const core::LibraryFolder& folder : folders) {
    for (const fs::path& file : core::library_files(folder.path)) {
      // What is wrong with a file concerns those who use it.
      Diagnostics unheard;
      const auto document = document::Document::load(file, unheard);
      if (document && document->root().name() == "Library") catalogue.add(document->root(), file, unheard);
    }
  }
  return catalogue;
}

void Catalogue::add(const Element& library, const fs::path& file, Diagnostics& diagnostics) {
  for (const Element& element : library.children("Bearing")) {
    const std::string name = element.get("name");
    Diagnostics problems;
    auto bearing = read_bearing(element, *this, problems);
    diagnostics.take(problems, true);
    std::erase_if(unusable_, [&](const Unusable& other) { return other.name == name; });
    const auto place =
        std::lower_bound(entries_.begin(), entries_.end(), name,
                         [](const CatalogueEntry& entry, const std::string& n) { return entry.bearing.name < n; });
    const bool is_known = place != entries_.end() && place->bearing.name == name;
    if (!bearing) {
      if (is_known) entries_.erase(place);
      unusable_.push_back({name, std::move(problems)});
    } else if (is_known) {
      *place = {*std::move(bearing), file};
    } else {
      entries_.insert(place, {*std::move(bearing), file});
    }
  }
}

void Catalogue::report_missing(std::string_view name, const Place& place, std::string_view advice,
                               Diagnostics& diagnostics) const {
  const auto found =
      std::find_if(unusable_.begin(), unusable_.end(), [&](const Unusable& bearing) { return bearing.name == name; });
  if (found == unusable_.end()) {
    diagnostics.error(place, fmt::format("there is no bearing '{}'{}{}", name, suggestion(name), advice));
    return;
  }
  diagnostics.error(place, fmt::format("bearing '{}' of a library cannot be used", name));
  diagnostics.take(found->problems, false);
}

const CatalogueEntry* Catalogue::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const CatalogueEntry& entry) { return entry.bearing.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

std::string Catalogue::suggestion(std::string_view name) const {
  constexpr std::size_t kSeries = 2;  // characters
  const auto is_alike = [&](const std::string& other) {
    const auto same = [](unsigned char a, unsigned char b) { return std::toupper(a) == std::toupper(b); };
    return name.size() >= kSeries && other.size() >= kSeries &&
           std::equal(name.begin(), name.begin() + kSeries, other.begin(), same);
  };
  std::vector<std::string> names, alike;
  for (const CatalogueEntry& entry : entries_) {
    names.push_back(entry.bearing.name);
    if (is_alike(entry.bearing.name)) alike.push_back(entry.bearing.name);
  }
  // Names are numbers: those of the same series say more than one that differs by a digit.
  if (!alike.empty()) return fmt::format(" (of this series: {})", fmt::join(alike, ", "));
  return document::suggestion(name, names);
}

}  // namespace tieline::bearings
