#include <fmt/format.h>

#include "tieline/exchange.hpp"
#include "tieline/program.hpp"

#include "api/errors.hpp"
#include "api/model_files.hpp"
#include "core/installation.hpp"
#include "fmu_export/exporter.hpp"

namespace tieline {

FmuExport export_fmu(const std::filesystem::path& model, const std::filesystem::path& file,
                     const FmuExportOptions& options) {
  if (options.fmi_version != 2 && options.fmi_version != 3)
    throw ModelError(fmt::format("FMI {}.0 is not supported; expected 2.0 or 3.0", options.fmi_version));
  const std::filesystem::path out = writable_file(file);
  std::error_code failure;
  if (!options.replaces && std::filesystem::exists(out, failure)) {
    const std::string problem = fmt::format("'{}' already exists", file.string());
    throw FileError(problem, {{.file = file, .text = problem, .advice = "replace it"}});
  }
  document::Diagnostics diagnostics;
  const fmu_export::Request request{.model = model,
                                    .out = out,
                                    .settings = api::overrides_of(options.settings),
                                    .component = options.component,
                                    .fmi_version = options.fmi_version,
                                    .is_exchange = options.model_exchange,
                                    .stop = options.stop,
                                    .parameters = options.parameters,
                                    .has_parameters = options.has_parameters,
                                    .outputs = options.outputs,
                                    .waves = options.waves,
                                    .library = core::data_path("tieline/fmu")};
  const auto manifest = fmu_export::export_fmu(request, diagnostics);
  if (!manifest) api::throw_model_error(diagnostics);
  FmuExport result{.can_save = manifest->can_save,
                   .event_indicators = manifest->indicator_count,
                   .problems = api::problems_of(diagnostics)};
  for (const fmu_export::ExportedVariable& variable : manifest->variables) {
    using fmu_export::Role;
    if (variable.role == Role::state) ++result.states;
    const bool is_inner =
        variable.role == Role::state || variable.role == Role::derivative || variable.role == Role::indicator;
    if (variable.role == Role::time || is_inner) continue;
    auto& names = variable.role == Role::parameter                                  ? result.parameters
                  : variable.role == Role::output || variable.role == Role::leaving ? result.outputs
                                                                                    : result.inputs;
    names.push_back(variable.name);
  }
  return result;
}

}  // namespace tieline
