#include "api/errors.hpp"

#include <fmt/format.h>

namespace tieline::api {

void throw_model_error(const document::Diagnostics& diagnostics) { throw simulation::model_error_of(diagnostics); }

void throw_run_error(const core::Error& error) {
  throw RunError(error.describe(), error.code == core::ErrorCode::cancelled);
}

void throw_problems(const std::vector<std::string>& problems) {
  throw std::out_of_range(fmt::format("{}", fmt::join(problems, "\n")));
}

}  // namespace tieline::api
