#include "api/errors.hpp"

namespace tieline::api {

void throw_model_error(const document::Diagnostics& diagnostics) { throw simulation::model_error_of(diagnostics); }

void throw_run_error(const core::Error& error) {
  throw RunError(error.describe(), error.code == core::ErrorCode::cancelled);
}

}  // namespace tieline::api
