#include "interchange/sub_models.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/article.hpp"
#include "document/expression.hpp"
#include "model/composite_model.hpp"

namespace tieline::interchange {

using document::Element;
using document::Place;

namespace {

/// What an interface point is where it does not say.
constexpr std::string_view kCausality = "Bidirectional";
constexpr std::string_view kDomain = "Mechanical";
constexpr std::string_view kDimensions = "6";

using Words = std::map<std::string, std::string>;  ///< theirs to ours

const Words& scalar_domains() {
  static const Words words{{"Mechanical", "translation"},
                           {"Rotational", "rotation"},
                           {"Hydraulic", "hydraulic"},
                           {"Electric", "electrical"}};
  return words;
}

const Words& causalities() {
  static const Words words{{"Bidirectional", "force"}, {"Input", "input"}, {"Output", "output"}};
  return words;
}

std::vector<std::string> keys(const Words& words) {
  std::vector<std::string> names;
  for (const auto& [name, ours] : words) names.push_back(name);
  return names;
}

/// Files separated by commas or semicolons.
std::vector<std::string> split_files(std::string_view text) {
  std::vector<std::string> files;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",;", at), text.size());
    if (const auto file = document::trimmed(text.substr(at, end - at)); !file.empty()) files.emplace_back(file);
    at = end + 1;
  }
  return files;
}

/// Braces have no meaning in foreign commands, but one in ours.
std::string with_plain_braces(std::string_view text) {
  std::string escaped;
  for (const char character : text) {
    if (character == '{' || character == '}') escaped += character;
    escaped += character;
  }
  return escaped;
}

}  // namespace

std::string SubModels::domain_of(const Element& point) {
  const std::string domain = point.get("Domain", kDomain);
  const bool is_signal = domain == "Signal" || point.get("Causality", kCausality) != kCausality;
  const std::string dimensions = point.get("Dimensions", is_signal ? "1" : kDimensions);
  if (is_signal) return "signal";
  if (domain == "Mechanical" && dimensions == "6") return "mechanical3d";
  const auto found = scalar_domains().find(domain);
  if (found != scalar_domains().end() && dimensions == "1") return found->second;
  if (found == scalar_domains().end()) {
    auto known = keys(scalar_domains());
    known.emplace_back("Signal");
    text_.diagnostics().error(point.place_of("Domain"),
                              fmt::format("unknown domain '{}'{}", domain, document::suggestion(domain, known)));
  } else {
    text_.diagnostics().error(
        point.place_of("Dimensions"),
        fmt::format("Dimensions=\"{}\" of {} interface must be 1{}", dimensions, core::with_article(domain),
                    domain == "Mechanical" ? " (translation along one axis) or 6 (motion in space)" : ""));
  }
  return "";
}

std::string SubModels::causality_of(const Element& point) {
  const std::string causality = point.get("Causality", kCausality);
  if (const auto found = causalities().find(causality); found != causalities().end()) return found->second;
  text_.diagnostics().error(
      point.place_of("Causality"),
      fmt::format("unknown causality '{}'{}", causality, document::suggestion(causality, keys(causalities()))));
  return "";
}

void SubModels::declare(const Element& sub_model) {
  auto& points = points_[sub_model.get("Name")];
  for (const auto& point : sub_model.children("InterfacePoint")) {
    points.try_emplace(point.get("Name"),
                       InterfacePoint{as_name(point.get("Name")), domain_of(point), causality_of(point)});
  }
}

End SubModels::end_of(const Found& reference) const {
  const std::string& text = reference.value;
  // Names may hold dots: the sub-model is the part in front of one of them that is known.
  for (std::size_t dot = text.find('.'); dot != text.npos; dot = text.find('.', dot + 1)) {
    const auto sub_model = points_.find(text.substr(0, dot));
    if (sub_model == points_.end()) continue;
    const auto point = sub_model->second.find(text.substr(dot + 1));
    const bool is_declared = point != sub_model->second.end();
    return {as_name(sub_model->first) + "." + as_name(text.substr(dot + 1)), reference.place,
            is_declared ? &point->second : nullptr};
  }
  const std::size_t dot = std::min(text.find('.'), text.size());
  return {as_name(text.substr(0, dot)) + (dot < text.size() ? "." + as_name(text.substr(dot + 1)) : ""),
          reference.place, nullptr};
}

/// A file that is looked into has been read.
std::string kind_of_file(const std::filesystem::path& folder, const std::string& written,
                         std::span<const model::ComponentKind> kinds, document::Diagnostics& diagnostics) {
  constexpr auto kTool = "process";
  if (std::filesystem::path(written).extension() != ".xml") return kTool;
  document::Diagnostics of_file;  // a file that is not ours may be malformed for all we know
  const auto document = document::Document::load(model::resolve_path(folder / "model", written), of_file);
  for (const auto& file : of_file.files_read()) diagnostics.reads(file);
  if (!document) return kTool;
  const std::string_view root = document->root().name();
  if (root == "CompositeModel") return "composite";
  for (const auto& kind : kinds) {
    if (!kind.grammar.rules.empty() && kind.grammar.rules.front().name == root) return kind.name;
  }
  return kTool;
}

void SubModels::write(const Element& sub_model) {
  auto& writer = text_.writer();
  const Found name = find(sub_model, {"Name"});
  const Found files = find(sub_model, {"ModelFile", "SimulationFiles"});
  const Found geometry = find(sub_model, {"GeometryFile"});
  if (name.value.empty()) {
    text_.diagnostics().error(name.place, "a <SubModel> needs a Name");
    return;
  }
  const auto paths = split_files(files.value);
  text_.report().translated("components");
  const std::string kind =
      paths.size() == 1 ? kind_of_file(text_.foreign().file().parent_path(), paths.front(), kinds_, text_.diagnostics())
                        : "process";
  writer.open("Component", sub_model.place());
  writer.attribute("name", as_name(name.value), name.place);
  writer.attribute("kind", kind, files.place);
  if (!paths.empty()) text_.path("file", paths.front(), files.place);
  const auto kept = write_start(sub_model, kind);
  if (!geometry.value.empty()) text_.path("geometry", geometry.value, geometry.place);
  if (const Found description = find(sub_model, {"Description"}); description.exists()) {
    writer.open("Description", description.place);
    writer.content(description.value);
    writer.close();
  }
  for (std::size_t i = 1; i < paths.size(); ++i) {
    writer.open("InputFile", files.place);
    text_.path("path", paths[i], files.place);
    writer.close();
  }
  const Found position = find(sub_model, {"Position"});
  const Found angles = find(sub_model, {"Angle321"});
  if (position.exists() || angles.exists()) {
    writer.open("Placement", position.place);
    text_.vector("position", position);
    text_.vector("angles", angles);
    writer.close();
  }
  write_points(sub_model, kind);
  write_parameters(sub_model);
  if (as_name(name.value) != name.value) text_.keep("Name", name.value, name.place);
  for (const Found& start : kept) text_.keep(start.name, start.value, start.place);
  text_.keep_rest(sub_model,
                  {"Name", "ModelFile", "SimulationFiles", "StartCommand", "StartMethod", "ExactStep", "GeometryFile",
                   "Description", "Position", "Angle321"},
                  {"InterfacePoint", "Parameter"});
  writer.close();
}

/// A start method is a name for what a tool's own script does; how a tool is started here is in the site file.
std::vector<Found> SubModels::write_start(const Element& sub_model, std::string_view kind) {
  std::vector<Found> kept;
  for (const std::string_view attribute : {"StartCommand", "StartMethod", "ExactStep"}) {
    Found found = find(sub_model, {attribute});
    if (!found.exists()) continue;
    const bool is_exact = found.value == "1" || found.value == "true";
    const bool is_exact_or_not = is_exact || found.value == "0" || found.value == "false";
    if (kind != model::kProcessKind || (attribute == "ExactStep" && !is_exact_or_not)) {
      kept.push_back(std::move(found));
    } else if (attribute == "StartCommand") {
      text_.writer().attribute("command", with_plain_braces(found.value), found.place);
      // It still works beside the foreign file.
      if (text_.has_folder()) text_.path("folder", ".", found.place);
    } else if (attribute == "StartMethod") {
      text_.writer().attribute("tool", found.value, found.place);
    } else {
      text_.writer().attribute("exact_step", is_exact ? "true" : "false", found.place);
    }
  }
  return kept;
}

/// A native component describes its interfaces itself: it is checked to have those that the foreign file declares.
/// Those of a nested model are its own affair; what is stated about them is kept beside.
void SubModels::write_points(const Element& sub_model, std::string_view kind) {
  auto& writer = text_.writer();
  const auto& points = points_.at(sub_model.get("Name"));
  for (const auto& point : sub_model.children("InterfacePoint")) {
    const Found name = find(point, {"Name"});
    if (name.value.empty()) {
      text_.diagnostics().error(name.place, "an <InterfacePoint> needs a Name");
      continue;
    }
    const InterfacePoint& ours = points.at(name.value);
    const std::string prefix = fmt::format("InterfacePoint.{}.", name.value);
    if (kind == "composite") {
      for (const auto& attribute : point.attributes())
        text_.keep(prefix + attribute, point.get(attribute), point.place_of(attribute));
      continue;
    }
    text_.report().translated("interfaces");
    writer.open("Interface", point.place());
    writer.attribute("name", ours.name, name.place);
    if (!ours.domain.empty()) writer.attribute("domain", ours.domain, point.place_of("Domain"));
    // A point that is bidirectional there may be solved for force or for motion here.
    const bool is_open = kind != "process" && ours.causality == "force";
    if (!ours.causality.empty() && !is_open) writer.attribute("causality", ours.causality, point.place_of("Causality"));
    if (ours.domain == "signal") text_.number("size", find(point, {"Dimensions"}));
    text_.vector("position", find(point, {"Position"}));
    text_.vector("angles", find(point, {"Angle321"}));
    writer.close();
    if (ours.name != name.value) text_.keep(prefix + "Name", name.value, name.place);
    if (const Found type = find(point, {"iType"}); type.exists() && type.value != "TLM")
      text_.keep(prefix + "iType", type.value, type.place);
    text_.keep_rest(point, {"Name", "iType", "Dimensions", "Causality", "Domain", "Position", "Angle321"}, {}, prefix);
  }
}

/// Our parameters are numbers with plain names; the foreign name is in the description where it differs.
void SubModels::write_parameters(const Element& sub_model) {
  auto& writer = text_.writer();
  std::set<std::string> names;
  for (const auto& parameter : sub_model.children("Parameter")) {
    const Found name = find(parameter, {"Name"});
    const Found value = find(parameter, {"Value"});
    if (name.value.empty()) {
      text_.diagnostics().error(name.place, "a <Parameter> needs a Name");
      continue;
    }
    const std::string ours = as_identifier(name.value);
    if (!document::parse_number(document::trimmed(value.value)) || !names.insert(ours).second) {
      text_.keep("Parameter." + name.value, value.value, value.place);
      text_.diagnostics().note(
          parameter.place(),
          fmt::format("parameter '{}' = '{}' is not a number with a unique name; it is kept, but not used here",
                      name.value, value.value));
      continue;
    }
    text_.report().translated("parameters");
    writer.open("Parameter", parameter.place());
    writer.attribute("name", ours, name.place);
    text_.number("value", value);
    if (ours != name.value) writer.attribute("description", name.value, name.place);
    writer.close();
    text_.keep_rest(parameter, {"Name", "Value"}, {}, fmt::format("Parameter.{}.", name.value));
  }
}

}  // namespace tieline::interchange
