#include "model/kind_options.hpp"

#include "model/composite_model.hpp"

namespace tieline::model {

const document::Scope& OptionsRequest::scope_of(const Statement& statement) const {
  return &statement == &component.statements.front() ? around : component.scope;
}

}  // namespace tieline::model
