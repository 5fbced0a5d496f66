#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"
#include "interchange/ssp_files.hpp"
#include "interchange/ssp_value.hpp"

namespace tieline::interchange::ssp {

/// The value of a parameter, as its source states it.
struct Value {
  ValueType type{};                  ///< its type is known
  std::vector<std::string> texts{};  ///< one for each element, row by row
  StatedTransformation mapping{};    ///< of the mapping that gave it its name
  bool keeps_unit = false;           ///< no conversion of units (suppressUnitConversion)
  document::Place place{};
};

/// A value for what has a name, as seen from the element that binds it.
struct Assignment {
  std::string name{};
  std::shared_ptr<const Value> value{};
};

/// What the bindings of an element assign, in their order: later ones count.
[[nodiscard]] std::vector<Assignment> read_bindings(const document::Element& element, const File& structure,
                                                    const std::optional<File>& component, Files& files,
                                                    document::Diagnostics& diagnostics);

/// A value of the command line.
[[nodiscard]] std::shared_ptr<const Value> value_of_setting(const std::string& text, const document::Place& place);

/// The text of a <Start> that gives a variable this value; nothing, with an error, where that cannot be. The
/// transformation applies to numbers.
[[nodiscard]] std::optional<std::vector<std::string>> start_texts(const Value& value,
                                                                  const Transformation& transformation,
                                                                  const fmi::Description& description,
                                                                  const fmi::Variable& variable,
                                                                  document::Diagnostics& diagnostics);

}  // namespace tieline::interchange::ssp
