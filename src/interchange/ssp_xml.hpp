#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"

/// Reading elements of SSP, whose names have prefixes that each file chooses for itself.
namespace tieline::interchange::ssp {

/// "System" of "ssd:System".
[[nodiscard]] std::string_view local_name(std::string_view name);
[[nodiscard]] std::string_view local_name(const document::Element& element);

/// Children with this local name.
[[nodiscard]] std::vector<document::Element> children_named(const document::Element& element, std::string_view name);
/// The first of them.
[[nodiscard]] document::Element child_named(const document::Element& element, std::string_view name);
/// The children of a child: <Elements> of a <System>.
[[nodiscard]] std::vector<document::Element> children_of(const document::Element& element, std::string_view list,
                                                         std::string_view name);

/// An attribute that the standard demands; an error, and empty, where it is absent.
[[nodiscard]] std::string required_text(const document::Element& element, std::string_view attribute,
                                        document::Diagnostics& diagnostics);
/// A number (xs:double); an error where it is none, nothing where it is absent.
[[nodiscard]] std::optional<double> number_of(const document::Element& element, std::string_view attribute,
                                              document::Diagnostics& diagnostics);
/// A truth value (xs:boolean); false where it is absent.
[[nodiscard]] bool flag_of(const document::Element& element, std::string_view attribute,
                           document::Diagnostics& diagnostics);

/// Warns of attributes and children that the standard does not have, with the nearest name that it has. Those with a
/// prefix are anybody's.
void warn_of_unknown(const document::Element& element, std::initializer_list<std::string_view> attributes,
                     std::initializer_list<std::string_view> children, document::Diagnostics& diagnostics);

/// "file:line" for messages that name a second place.
[[nodiscard]] std::string shown(const document::Place& place);

}  // namespace tieline::interchange::ssp
