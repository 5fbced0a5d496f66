#include "builder/model_text.hpp"

#include <fmt/format.h>

#include "core/xml_text.hpp"

namespace tieline::builder {
namespace {

/// What a part of the model is called in messages.
std::string place_name(const ModelElement& element, const std::string& around, bool is_top) {
  if (element.name() == "CompositeModel" && is_top) return fmt::format("model '{}'", element.get("name"));
  const auto named = [&](const char* what, const std::string& name) {
    return name.empty() ? fmt::format("{}, {}", around, what) : fmt::format("{}, {} '{}'", around, what, name);
  };
  if (element.name() == "Component") return named("component", element.get("name"));
  if (element.name() == "Connection") {
    const std::string ends = fmt::format("{}--{}", element.get("from"), element.get("to"));
    return named("connection", element.get("name").empty() ? ends : element.get("name"));
  }
  if (element.name() == "Parameter") return named("parameter", element.get("name"));
  if (element.name() == "Open") return named("open end", element.get("interface"));
  if (element.name() == "Components" || element.name() == "Connections" || element.name() == "Parameters")
    return around;
  if (element.name() == "Simulation") return around + ", simulation";
  const std::string name = element.get("name");
  return fmt::format("{}, <{}{}>", around, element.name(), name.empty() ? "" : fmt::format(" name='{}'", name));
}

void append(const ModelElement& element, const std::string& around, const std::string& indent, bool is_top,
            ModelText& into) {
  const std::string here = place_name(element, around, is_top);
  into.text += indent;
  into.origins.push_back({into.text.size(), {here, 0, 0}});
  into.text += "<" + element.name();
  for (const auto& [name, value] : element.attributes()) {
    into.text += fmt::format(" {}=\"{}\"", name, core::xml_escaped(value));
  }
  if (element.elements().empty() && element.text().empty()) {
    into.text += "/>\n";
    return;
  }
  into.text += ">" + core::xml_escaped(element.text());
  if (!element.elements().empty()) into.text += "\n";
  for (const ModelElement& inner : element.elements()) append(inner, here, indent + "  ", false, into);
  if (!element.elements().empty()) into.text += indent;
  into.origins.push_back({into.text.size(), {here, 0, 0}});
  into.text += "</" + element.name() + ">\n";
}

}  // namespace

ModelText text_of(const Model& model) {
  ModelText result;
  result.origins.push_back({0, {fmt::format("model '{}'", model.name()), 0, 0}});
  result.text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  append(model.root(), "", "", true, result);
  return result;
}

std::filesystem::path file_of(const Model& model) {
  const std::filesystem::path folder = model.folder().empty() ? std::filesystem::path(".") : model.folder();
  return folder / fmt::format("model '{}'", model.name());
}

std::shared_ptr<const document::Document> document_of(const Model& model, document::Diagnostics& diagnostics) {
  ModelText made = text_of(model);
  return document::Document::parse(std::move(made.text), file_of(model).string(), diagnostics, std::move(made.origins));
}

}  // namespace tieline::builder
