#include "interchange/modelica_translation.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "document/expression.hpp"
#include "document/units.hpp"

namespace tieline::interchange {

namespace fs = std::filesystem;
using document::Place;
using modelica::Class;

namespace {

/// modelica://Package.Class/path
std::optional<fs::path> resolve_uri(const std::string& written, Class& type, modelica::ClassTree& tree) {
  constexpr std::string_view kScheme = "modelica://";
  if (!written.starts_with(kScheme)) return std::nullopt;
  const std::string rest = written.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  modelica::Name name;
  for (std::size_t at = 0; at <= slash;) {
    const std::size_t dot = std::min(rest.find('.', at), slash);
    name.parts.push_back(std::string_view(rest).substr(at, dot - at));
    at = dot + 1;
  }
  for (Class* package = tree.find(name, type, false); package != nullptr; package = package->parent) {
    const std::string path = rest.substr(std::min(slash + 1, rest.size()));
    if (!package->folder.empty()) return package->folder / path;
    // All of it is in one file, whose folder counts then.
    const bool is_outermost = package->parent == nullptr || package->parent->parent == nullptr;
    if (is_outermost && package->file != nullptr) return fs::path(package->file->source->file()).parent_path() / path;
  }
  return std::nullopt;
}

/// "{{-10, -10}, {10, 10}}" or "{20, 0}" as numbers.
void add_numbers(const modelica::Expression& expression, std::vector<double>& numbers) {
  if (expression.kind == modelica::Expression::Kind::number) {
    numbers.push_back(document::parse_number(expression.text).value_or(0.0));
  } else if (expression.kind == modelica::Expression::Kind::unary && expression.operands.size() == 1) {
    const std::size_t before = numbers.size();
    add_numbers(expression.operands[0], numbers);
    if (numbers.size() > before && expression.text == "-") numbers.back() = -numbers.back();
  } else if (expression.kind == modelica::Expression::Kind::array) {
    for (const auto& operand : expression.operands) add_numbers(operand, numbers);
  }
}

}  // namespace

std::optional<std::array<double, 2>> diagram_origin(const modelica::Modification& annotation) {
  const auto* const placement = annotation.find("Placement");
  const auto* const transformation = placement != nullptr ? placement->modification.find("transformation") : nullptr;
  if (transformation == nullptr) return std::nullopt;
  std::vector<double> origin;
  std::vector<double> extent;
  const auto* const at = transformation->modification.find("origin");
  const auto* const box = transformation->modification.find("extent");
  if (at != nullptr && at->modification.value) add_numbers(*at->modification.value, origin);
  if (box != nullptr && box->modification.value) add_numbers(*box->modification.value, extent);
  if (origin.size() != 2) origin = {0.0, 0.0};
  if (extent.size() != 4) extent = {0.0, 0.0, 0.0, 0.0};
  return std::array{origin[0] + 0.5 * (extent[0] + extent[2]), origin[1] + 0.5 * (extent[1] + extent[3])};
}

std::string ModelicaTranslation::path(const std::string& written, Class& type, const Place& place) {
  const auto resource = resolve_uri(written, type, tree);
  if (written.starts_with("modelica://") && !resource) {
    diagnostics.error(place, fmt::format("'{}' names no package with a folder", written));
  }
  if (!resource && (written.empty() || fs::path(written).is_absolute())) return written;
  std::error_code failure;
  const fs::path stated_in = type.file != nullptr ? fs::path(type.file->source->file()).parent_path() : fs::path();
  const fs::path target = fs::absolute(resource ? *resource : stated_in / written, failure);
  const fs::path there = fs::absolute(folder.empty() ? fs::path(".") : folder, failure).lexically_normal();
  if (failure ||
      (!resource && fs::absolute(stated_in.empty() ? fs::path(".") : stated_in).lexically_normal() == there)) {
    return written;
  }
  return target.lexically_normal().lexically_proximate(there).generic_string();
}

std::shared_ptr<const document::Document> ModelicaTranslation::parse(const AnnotatedText& text, Class& type) {
  const Place place = type.place_at(text.at);
  return document::Document::parse(text.text, place.file, diagnostics, {{0, place}});
}

void ModelicaTranslation::copy(const document::Element& element, const document::ElementRule* parent, Class& type) {
  const document::ElementRule* const rule =
      parent != nullptr ? grammar.find_child(*parent, element.name()) : grammar.find(element.name());
  const Place place = element.place();
  writer.open(element.name(), place);
  for (const auto& name : element.attributes()) {
    std::string value = element.get(name);
    const bool is_file =
        rule != nullptr && std::any_of(rule->attributes.begin(), rule->attributes.end(), [&](auto& each) {
          return each.name == name && each.type == document::AttributeType::file;
        });
    if (is_file) value = path(value, type, place);
    writer.attribute(name, value, place);
  }
  const auto children = element.children();
  for (const auto& child : children) copy(child, rule, type);
  if (children.empty()) {
    if (const auto text = element.text(); !text.empty()) writer.content(text);
  }
  writer.close();
}

std::string ModelicaTranslation::unit_of(const modelica::Member& member) {
  if (const auto own = annotated_text(vendor_annotation(member.element->comment.annotation), "unit")) return own->text;
  const auto part = member.modifier != nullptr ? member.modifier->part("unit") : nullptr;
  if (part == nullptr || !part->value) return "";
  auto stated = numbers.string(*part->value);
  if (!stated) return "";
  // "N.m.s/rad" is "N m s/rad" here.
  std::replace(stated->begin(), stated->end(), '.', ' ');
  return *stated;
}

void ModelicaTranslation::check_unit(const modelica::Member& target, const modelica::Value& value) {
  const modelica::Expression* const expression = value.expression;
  const bool is_name = expression != nullptr && value.scope != nullptr && expression->reference != nullptr &&
                       expression->kind == modelica::Expression::Kind::reference &&
                       expression->reference->parts.size() == 1 && !expression->reference->is_global;
  // Libraries state what they mean.
  if (!is_name || value.type->is_library) return;
  const modelica::Member* const source = value.scope->find(expression->reference->parts.front().name);
  if (source == nullptr || source == &target) return;
  const std::string from = unit_of(*source), to = unit_of(target);
  const auto given = document::unit_called(from), wanted = document::unit_called(to);
  if (from.empty() || to.empty() || !given || !wanted || given->measures_the_same(*wanted)) return;
  diagnostics.warning(value.place(),
                      fmt::format("'{}' is measured in '{}', but '{}' in '{}': these are different quantities; the "
                                  "number is passed as it is",
                                  source->identifier, from, target.identifier, to));
}

}  // namespace tieline::interchange
