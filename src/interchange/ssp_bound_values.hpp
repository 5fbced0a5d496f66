#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "document/diagnostics.hpp"
#include "interchange/ssp_structure.hpp"

namespace tieline::interchange::ssp {

/// Which value each variable of an FMU and each connector of a system gets from the bindings around it. Bindings
/// further out go before those further in, later ones before earlier ones.
class BoundValues {
 public:
  /// Reports values that are meant for nothing.
  BoundValues(const Part& root, document::Diagnostics& diagnostics);

  using ByName = std::map<std::string, std::shared_ptr<const Value>, std::less<>>;
  [[nodiscard]] const ByName& of(const Part& part) const;
  [[nodiscard]] std::shared_ptr<const Value> of(const Part& part, std::string_view name) const;

 private:
  void distribute(const Part& part, ByName values);
  void report_unused(const Part& part, document::Diagnostics& diagnostics) const;

  std::unordered_map<const Part*, ByName> values_;
  std::unordered_set<const Value*> meant_;  ///< for something that is there
};

}  // namespace tieline::interchange::ssp
