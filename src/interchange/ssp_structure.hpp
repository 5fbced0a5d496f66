#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"
#include "interchange/ssp_files.hpp"
#include "interchange/ssp_parameters.hpp"
#include "interchange/ssp_value.hpp"

/// The structure of an SSP as one tree: nested SSPs are systems in it.
namespace tieline::interchange::ssp {

enum class Kind {
  input,
  output,
  parameter,
  calculated_parameter,
  structural_parameter,
  constant,
  local,
  inout,
  unspecified
};
[[nodiscard]] std::string_view name_of(Kind kind);

struct Connector {
  std::string name{};
  Kind kind = Kind::unspecified;
  ValueType type{};
  document::Element element{};  ///< absent: it is not declared, but known from an FMU
  std::string variable{};       ///< its name in the FMU, where an annotation states another; empty: its own
};

struct Connection {
  std::string start_element{}, start_connector{};  ///< an empty element: the system itself
  std::string end_element{}, end_connector{};
  std::vector<std::uint64_t> start_indices{}, end_indices{};  ///< counted from 1, one for each dimension; empty: whole
  bool keeps_unit = false;
  StatedTransformation transformation{};
  document::Element element{};
};

/// A dictionary of signals in one system.
struct Dictionary {
  std::string name{};
  std::map<std::string, ValueType, std::less<>> entries{};
  document::Place place{};
};

struct System;

/// An element of a system, or the root system.
struct Part {
  enum class What { fmu, system, reference, nothing } what = What::nothing;
  std::string name{};
  std::string our_name{};  ///< valid here, and unique in its system
  document::Element declaration{};
  System* parent = nullptr;  ///< null: the root
  std::vector<Connector> connectors{};
  std::unordered_map<std::string, std::size_t> connector_index{};
  std::vector<Assignment> assignments{};  ///< of its own bindings
  // Of an FMU.
  std::string file{};            ///< as the translation names it
  std::string mode{};            ///< of ours; empty: unstated
  std::optional<double> step{};  ///< [s]; where an annotation states one for this FMU
  std::shared_ptr<const fmi::Description> fmu{};
  std::string icon{};                        ///< as the translation names it; empty: none
  std::unique_ptr<System> system{};          ///< of a system
  std::shared_ptr<Dictionary> dictionary{};  ///< of a reference; null after an error

  [[nodiscard]] const Connector* find(std::string_view connector) const;
  /// What the FMU calls the variable of a connector.
  [[nodiscard]] const std::string& variable_of(const std::string& connector) const;
};

struct System {
  Part* self = nullptr;
  std::vector<std::unique_ptr<Part>> elements{};
  std::unordered_map<std::string, Part*> by_name{};
  std::vector<Connection> connections{};
  std::map<std::string, std::shared_ptr<Dictionary>, std::less<>> dictionaries{};
};

/// What other tools state about the run in annotations.
struct Experiment {
  std::optional<double> start{}, stop{};      ///< [s]
  std::optional<double> step{}, tolerance{};  ///< step [s]
  document::Element element{};
};

struct Structure {
  std::string name{};
  std::unique_ptr<Part> root{};
  Experiment experiment{};
  document::Element declaration{};  ///< <SystemStructureDescription>
};

/// Reads a structure with all that it names. Nothing if there is no root system; what was understood otherwise.
[[nodiscard]] std::optional<Structure> read_structure(const File& file, Files& files,
                                                      document::Diagnostics& diagnostics);

}  // namespace tieline::interchange::ssp
