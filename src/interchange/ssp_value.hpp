#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"
#include "fmi/description.hpp"

/// Types, units, enumerations and transformations of SSP.
namespace tieline::interchange::ssp {

/// A unit with the file's name for it.
struct Unit {
  std::string name{};
  fmi::BaseUnit base{};
};

struct Enumeration {
  std::string name{};
  std::vector<std::pair<std::string, std::int64_t>> items{};

  [[nodiscard]] std::optional<std::int64_t> value_of(std::string_view item) const;
  [[nodiscard]] std::vector<std::string> item_names() const;
};

/// The <Units> and <Enumerations> of one file.
struct Definitions {
  std::map<std::string, Unit, std::less<>> units{};
  std::map<std::string, std::shared_ptr<const Enumeration>, std::less<>> enumerations{};
  mutable std::set<std::string, std::less<>> undefined{};  ///< what was asked for in vain, and has been reported
};
[[nodiscard]] Definitions read_definitions(const document::Element& root, document::Diagnostics& diagnostics);

/// What a connector, an entry of a dictionary or a parameter is; all of it may be unstated.
struct ValueType {
  std::optional<fmi::Type> type{};
  std::optional<Unit> unit{};
  std::shared_ptr<const Enumeration> enumeration{};
  document::Element element{};  ///< <Real>, ...
};
/// Of the child of an element that names a type.
[[nodiscard]] ValueType read_type(const document::Element& around, const Definitions& definitions,
                                  document::Diagnostics& diagnostics);
/// The type that a local name means ("Real", "Int8"); nothing: it is no type.
[[nodiscard]] std::optional<fmi::Type> type_named(std::string_view name);

/// What becomes of a number on its way: factor * value + offset, or a table of values; others stay as they are.
struct Step {
  double factor = 1.0;
  double offset = 0.0;
  std::map<double, double> table{};  ///< empty: none
};

class Transformation {
 public:
  void add_linear(double factor, double offset);
  void add_table(std::map<double, double> table);
  [[nodiscard]] bool is_identity() const { return steps_.empty(); }
  [[nodiscard]] double apply(double value) const;
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

 private:
  std::vector<Step> steps_;  ///< none of them is the identity
};

/// From one unit to another. Nothing if they do not measure the same.
struct Conversion {
  double factor = 1.0;
  double offset = 0.0;
};
[[nodiscard]] std::optional<Conversion> conversion(const fmi::BaseUnit& from, const fmi::BaseUnit& to);

/// A transformation as it is written in a <Connection> or a <MappingEntry>.
struct StatedTransformation {
  enum class Kind { none, linear, boolean, integer, enumeration } kind = Kind::none;
  double factor = 1.0;
  double offset = 0.0;
  struct Entry {
    std::string source{};
    std::string target{};
    document::Element element{};
  };
  std::vector<Entry> entries{};
  document::Element element{};
};
[[nodiscard]] StatedTransformation read_transformation(const document::Element& around,
                                                       document::Diagnostics& diagnostics);
/// Adds it, for values whose enumerations are known (null: they are not).
void add_stated(const StatedTransformation& stated, const Enumeration* from, const Enumeration* to,
                Transformation& transformation, document::Diagnostics& diagnostics);

/// The enumeration of a variable; null: it has none.
[[nodiscard]] std::shared_ptr<const Enumeration> enumeration_of(const fmi::Description& description,
                                                                const fmi::Variable& variable);

}  // namespace tieline::interchange::ssp
