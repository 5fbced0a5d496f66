#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "fmi/description.hpp"

/// Which columns of a measured file drive which variables of an FMU.
namespace tieline::interchange {

/// A column that the user assigns to a variable.
struct ColumnMap {
  std::string column{};
  std::string variable{};
};

/// A number of an FMU that a column of a file drives.
struct DrivenInput {
  std::string variable{};  ///< the FMU's own name of the number: "u", "k[1,2]"
  std::string column{};    ///< the heading; empty: columns have none
  std::size_t number = 0;  ///< of the column among those of values, from 0
};

struct FmuInputs {
  std::filesystem::path file{};
  std::vector<ColumnMap> map{};
  std::string component{};  ///< the FMU's name in the model, which names of results begin with
};

/// Inputs and tunable parameters get the column of their name, or the one that is assigned to them. Reports all columns
/// that nothing is called like, and all inputs that no column drives, with the nearest names.
[[nodiscard]] std::vector<DrivenInput> match_inputs(const FmuInputs& inputs, const fmi::Description& description,
                                                    document::Diagnostics& diagnostics);

}  // namespace tieline::interchange
