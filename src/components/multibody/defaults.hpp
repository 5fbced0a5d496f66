#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/scope.hpp"
#include "document/xml.hpp"

namespace tieline::components {

/// What the <Defaults> of a system say for elements that do not say it themselves, and behind that what those of the
/// system around it say.
///
/// Within one system, what is said for the element's class comes before what is said for all elements of its name.
/// Refers to the scope and to the defaults around it, which must outlive it. One thread.
class Defaults {
 public:
  /// Who states an attribute, and the scope in which that is to be read.
  struct Source {
    document::Element element{};
    const document::Scope* scope = nullptr;
  };

  Defaults(const document::Element& content, const document::Scope& scope, Defaults* around,
           document::Diagnostics& diagnostics);
  Defaults(const Defaults&) = delete;
  Defaults& operator=(const Defaults&) = delete;

  /// The element itself where it states the attribute, or where nobody does.
  [[nodiscard]] Source source(const document::Element& element, std::string_view attribute);
  /// Reports a class without any defaults.
  void check_class(const document::Element& element, document::Diagnostics& diagnostics) const;
  /// Warns of what has not been used, after all has been read.
  void report_unused(document::Diagnostics& diagnostics) const;

 private:
  struct Entry {
    document::Element element{};
    bool is_used = false;
  };
  [[nodiscard]] Entry* find(std::string_view name, std::string_view of_class, std::string_view attribute);

  const document::Scope& scope_;
  Defaults* around_;
  std::vector<Entry> entries_;
};

}  // namespace tieline::components
