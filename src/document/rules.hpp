#pragma once

#include <string>
#include <utility>
#include <vector>

#include "document/grammar.hpp"

/// Short ways to state the attributes of elements.
namespace tieline::document::rules {

inline AttributeRule required(AttributeRule rule) {
  rule.is_required = true;
  return rule;
}

inline AttributeRule of_type(AttributeType type, std::string name, std::string description,
                             std::string otherwise = "") {
  return {
      .name = std::move(name), .type = type, .description = std::move(description), .otherwise = std::move(otherwise)};
}

inline AttributeRule name(std::string description) {
  return required(of_type(AttributeType::name, "name", std::move(description)));
}

inline AttributeRule number(std::string name, std::string description, std::string otherwise = "") {
  return of_type(AttributeType::number, std::move(name), std::move(description), std::move(otherwise));
}

inline AttributeRule text(std::string name, std::string description, std::string otherwise = "") {
  return of_type(AttributeType::text, std::move(name), std::move(description), std::move(otherwise));
}

inline AttributeRule file(std::string name, std::string description) {
  return of_type(AttributeType::file, std::move(name), std::move(description));
}

inline AttributeRule choice(std::string name, std::string description, std::vector<std::string> choices,
                            std::string otherwise) {
  AttributeRule rule = of_type(AttributeType::choice, std::move(name), std::move(description), std::move(otherwise));
  rule.choices = std::move(choices);
  return rule;
}

}  // namespace tieline::document::rules
