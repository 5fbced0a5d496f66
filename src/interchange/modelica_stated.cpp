#include <algorithm>
#include <array>

#include "document/expression.hpp"
#include "interchange/modelica_translation.hpp"
#include "modelica/token.hpp"

namespace tieline::interchange {

using modelica::Class;
using modelica::Instance;
using modelica::Member;
using modelica::Value;
using RoleOf = ModelicaRole::Kind;

namespace {

/// Parameters of the paper's library in copies of it that lack our annotations.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kPaperParameters{
    {{"StartMethod", "tool"},
     {"SimulationFiles", "SimulationFiles"},
     {"Description", "Description"},
     {"zf", "impedance"},
     {"zfr", "impedance_rotation"},
     {"alpha", "damping"},
     {"StartTime", "start"},
     {"EndTime", "stop"},
     {"TLMDelay", "delay"}}};

/// What a parameter is for us.
enum class Meaning { attribute, description, files, common_delay };

/// One reading of the parameters of an object.
class StatementReader {
 public:
  StatementReader(Instance& object, Instance& where, ModelicaTranslation& translation)
      : object_(object), where_(where), shared_(translation) {}

  StatedObject read() {
    for (const Member& member : object_.members()) {
      const bool is_parameter = member.element->prefix.variability >= modelica::Variability::parameter;
      if (!is_parameter || member.type == nullptr || !understand(member)) continue;
      add(member, member.value(), member.has_outer_value, stated_.attributes);
      if (member.has_outer_value) add(member, member.class_value, false, stated_.inner);
    }
    return std::move(stated_);
  }

 private:
  /// The name and meaning of a parameter; false: it is none of the library's.
  bool understand(const Member& member) {
    const auto* const vendor = vendor_annotation(member.original->comment.annotation);
    const auto attribute = annotated_text(vendor, "attribute");
    meaning_ = annotated_text(vendor, "text")     ? Meaning::description
               : annotated_text(vendor, "files")  ? Meaning::files
               : annotated_text(vendor, "common") ? Meaning::common_delay
                                                  : Meaning::attribute;
    name_ = attribute ? attribute->text : modelica::name_of(member.identifier);
    if (member.declared_in->is_library || attribute) return true;
    if (vendor != nullptr || shared_.roles.of(*member.declared_in).kind == RoleOf::none) return false;
    const auto* const known = std::find_if(kPaperParameters.begin(), kPaperParameters.end(),
                                           [&](const auto& each) { return each.first == member.identifier; });
    if (known == kPaperParameters.end()) return false;
    name_ = known->second;
    const bool is_of_model = shared_.roles.of(object_.type()).kind == RoleOf::model;
    meaning_ = name_ == "Description"            ? Meaning::description
               : name_ == "SimulationFiles"      ? Meaning::files
               : name_ == "delay" && is_of_model ? Meaning::common_delay
                                                 : Meaning::attribute;
    return true;
  }

  /// The value in our words; empty: it states nothing.
  std::string text_of(const Member& member, const Value& value) {
    const Class* const simple = shared_.tree.simple_type(*member.type);
    const std::string_view type = simple != nullptr ? simple->identifier : "";
    if (type == "String") return shared_.numbers.string(value).value_or("");
    if (type != "Boolean") {
      shared_.check_unit(member, value);
      return shared_.numbers.text(value, where_);
    }
    const std::string truth = shared_.numbers.truth(value);
    return truth == "false" && value.type->is_library ? "" : truth;
  }

  void add(const Member& member, const std::optional<Value>& value, bool is_outer, std::vector<StatedAttribute>& list) {
    if (!value) return;
    const bool is_default = value->type->is_library;
    if (is_default && value->type->full_name().starts_with("Tieline.")) return;
    if (!member.element->subscripts.empty()) {
      std::string vector;
      for (int i = 1; i <= 3; ++i) {
        Value item = *value;
        item.indices.push_back(i);
        vector += (i > 1 ? ", " : "") + shared_.numbers.text(item, where_);
      }
      stated_.vectors[name_] = vector;
      return;
    }
    StatedAttribute attribute{.name = name_,
                              .text = text_of(member, *value),
                              .place = value->place(),
                              .is_outer = is_outer,
                              .is_default = is_default};
    if (attribute.text.empty()) return;
    switch (meaning_) {
      case Meaning::description:
        stated_.description = attribute.text;
        stated_.description_place = attribute.place;
        break;
      case Meaning::files:
        add_files(attribute, *value->type, list);
        break;
      case Meaning::common_delay:
        stated_.common_delay = attribute.text;
        break;
      case Meaning::attribute:
        if (name_ == "file" || name_ == "icon" || name_ == "geometry" || name_ == "results") {
          attribute.text = shared_.path(attribute.text, *value->type, attribute.place);
        }
        list.push_back(std::move(attribute));
    }
  }

  /// Files separated by commas or semicolons: the first is the component's, it reads the others.
  void add_files(const StatedAttribute& all, Class& type, std::vector<StatedAttribute>& list) {
    bool is_first = true;
    for (std::size_t at = 0; at <= all.text.size();) {
      const std::size_t end = std::min(all.text.find_first_of(",;", at), all.text.size());
      const std::string file(document::trimmed(std::string_view(all.text).substr(at, end - at)));
      at = end + 1;
      if (file.empty()) continue;
      const std::string path = shared_.path(file, type, all.place);
      if (is_first) {
        StatedAttribute first = all;
        first.name = "file";
        first.text = path;
        list.push_back(std::move(first));
      } else {
        stated_.input_files.emplace_back(path, all.place);
      }
      is_first = false;
    }
  }

  Instance& object_;
  Instance& where_;
  ModelicaTranslation& shared_;
  StatedObject stated_{};
  std::string name_{};
  Meaning meaning_ = Meaning::attribute;
};

}  // namespace

const StatedAttribute* StatedObject::find(std::string_view name) const {
  for (const StatedAttribute& each : attributes) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

StatedObject stated_by(Instance& object, Instance& where, ModelicaTranslation& translation) {
  return StatementReader(object, where, translation).read();
}

}  // namespace tieline::interchange
