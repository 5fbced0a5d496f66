#pragma once

#include <pugixml.hpp>
#include <string>

#include "document/diagnostics.hpp"
#include "fmi/element_reader.hpp"

namespace tieline::archive {
class Archive;
}

/// Whether the description of an FMU follows the standard: its schema, and what the standard demands beyond it. The
/// reader of descriptions (description.hpp) takes far more; what is found here keeps nobody from running an FMU.
namespace tieline::fmi {

/// Elements, their order and number, attributes and the form of their values, as the schema of a version (1, 2 or 3)
/// has them.
void check_schema(pugi::xml_node root, int version, Findings& findings);
/// Rules about variables that no schema states: names, value references, kinds, start values, types, units, clocks.
void check_variable_rules(pugi::xml_node root, int version, Findings& findings);
/// Rules about the rest: ways to run the FMU, the default experiment, units and types, the model structure.
void check_structure_rules(pugi::xml_node root, int version, Findings& findings);

/// All of these for the text of a description that can be read. An error is what another tool may refuse, or compute otherwise; a warning
/// is a matter of form. Of each kind, the first few are reported with their places, and the others counted.
void check_description_rules(std::string text, document::Diagnostics& diagnostics);
/// The same of an FMU that has been opened.
void check_description_rules(const archive::Archive& archive, document::Diagnostics& diagnostics);

}  // namespace tieline::fmi
