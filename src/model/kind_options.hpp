#pragma once

#include <string>
#include <string_view>

#include "document/diagnostics.hpp"
#include "document/scope.hpp"

namespace tieline::model {

struct Component;
struct Statement;
class ParameterReader;

/// What only components of one kind state. Each kind derives its own, beside its other code; nobody else looks inside
/// (`options_as`). Read once with the component (`ComponentKind::read_options`), constant from then on.
class KindOptions {
 public:
  virtual ~KindOptions() = default;

  // For the resolved model, as XML; empty: nothing is stated.
  /// Attributes of <Component>, each with a space in front.
  [[nodiscard]] virtual std::string attributes() const { return {}; }
  /// Elements in <Component>, a line each.
  [[nodiscard]] virtual std::string elements() const { return {}; }
  /// Elements in the <Interface> of that name.
  [[nodiscard]] virtual std::string elements_of(std::string_view /*interface*/) const { return {}; }

 protected:
  KindOptions() = default;
  KindOptions(const KindOptions&) = default;
  KindOptions& operator=(const KindOptions&) = default;
};

/// What a kind reads its options from.
struct OptionsRequest {
  const Component& component;     ///< its name, kind, statements and scope are known
  const document::Scope& around;  ///< the names around it
  ParameterReader& parameters;    ///< knows the options of the command line that are none of its parameters
  document::Diagnostics& diagnostics;

  /// <Component> speaks with the names around it, its types with those of the component.
  [[nodiscard]] const document::Scope& scope_of(const Statement& statement) const;
};

}  // namespace tieline::model
