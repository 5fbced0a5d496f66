#pragma once

#include <map>
#include <optional>
#include <string>

#include "document/xml.hpp"
#include "interchange/exporter.hpp"

namespace tieline::interchange {

/// What an exporter knows of an interface.
struct ExportedInterface {
  std::string domain{};     ///< as in the file format; empty: not known
  std::string causality{};  ///< of a signal: input, output; of others: force, motion; empty: not known
  int size = 0;             ///< of a signal or a set; 0: not known
};

/// The interfaces of a model's components, by their names in the document: from the checked model, or else from what
/// components declare.
class ExportedInterfaces {
 public:
  explicit ExportedInterfaces(const ExportRequest& request);

  /// `level`: in front of names of a nested model: "sub."; `model`: the <CompositeModel> that has the component.
  [[nodiscard]] ExportedInterface find(const document::Element& model, const std::string& level,
                                       const std::string& name, const std::string& interface) const;
  /// The <Component> or <Alternative> of a name in a <CompositeModel>; absent: there is none.
  [[nodiscard]] document::Element component(const document::Element& model, const std::string& level,
                                            const std::string& name) const;
  /// All of a component, in their order; empty: they are not known.
  [[nodiscard]] std::vector<std::pair<std::string, ExportedInterface>> all(const std::string& full_name) const;

 private:
  using List = std::vector<std::pair<std::string, ExportedInterface>>;
  std::map<std::string, List> known_{};  ///< by full names of components
  /// What `component` has looked up, by level and name.
  mutable std::map<std::string, std::map<std::string, document::Element>> components_{};
};

/// "component.interface[2]"
struct EndReference {
  std::string component{};
  std::string interface {};
  int member = 0;  ///< 0: all of it
};
/// Nothing where it is none, or has an {expression}.
[[nodiscard]] std::optional<EndReference> parse_end(const std::string& text);

}  // namespace tieline::interchange
