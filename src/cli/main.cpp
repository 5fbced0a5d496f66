// The command line: what the arguments mean. What the commands do is in the other files of this folder.

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "cli/commands.hpp"

namespace tieline::cli {
namespace {

constexpr const char* kFooter = R"(Examples:
  tieline check examples/two-bodies/two-bodies.xml
  tieline run examples/two-bodies/two-bodies.xml --out results --set k=1e9
  tieline plot results 'body2.*' -o body2.svg
  tieline export results --csv results.csv --step 1e-4
  tieline compare results other-results

Exit codes: 0 done, 1 the model or the input is wrong, 2 the run failed, 3 usage.)";

int dispatch(int argc, char** argv) {
  CLI::App app{"Tieline runs models from different simulation tools, each with its own solver, as one simulation."};
  app.set_version_flag("--version", TIELINE_VERSION);
  app.footer(kFooter);
  app.require_subcommand(1);

  RunArguments run_arguments;
  auto* run_command = app.add_subcommand("run", "Run a composite model and keep its results");
  run_command->add_option("model", run_arguments.model, "Composite model (XML)")->required();
  run_command->add_option("--out", run_arguments.out, "Folder for the results (default: <model>-results)");
  run_command->add_option("--set", run_arguments.set, "Override a parameter: name=value, component.name=value")
      ->allow_extra_args(false);
  run_command->add_option("--stop", run_arguments.stop, "Stop time [s] instead of the model's");
  run_command
      ->add_option("--threads", run_arguments.threads, "Threads (default: as many as pay); results do not depend on it")
      ->check(CLI::Range(1, 1024));
  run_command->add_flag("!--no-results", run_arguments.records, "Record nothing");
  run_command->add_flag("--quiet", run_arguments.is_quiet, "No progress, no tables: only errors and warnings");
  run_command->footer("Example: tieline run model.xml --out results --set k=1e9 --set left.m=3 --stop 0.1");

  std::filesystem::path check_model;
  std::vector<std::string> check_set;
  auto* check_command = app.add_subcommand("check", "Report every problem of a model at once, without running it");
  check_command->add_option("model", check_model, "Composite model (XML)")->required();
  check_command->add_option("--set", check_set, "Override a parameter: name=value")->allow_extra_args(false);
  check_command->footer("Example: tieline check model.xml");

  std::filesystem::path info_file;
  auto* info_command = app.add_subcommand("info", "Tell what a composite model or a result folder holds");
  info_command->add_option("file", info_file, "Composite model, result folder or results.h5")->required();
  info_command->footer("Example: tieline info results");

  ExportArguments export_arguments;
  auto* export_command = app.add_subcommand("export", "Write results as comma-separated values");
  export_command->add_option("results", export_arguments.folder, "Result folder")->required();
  export_command->add_option("--csv", export_arguments.csv, "File to write")->required();
  export_command
      ->add_option("--variables", export_arguments.variables, "Which variables (glob, repeatable; default: all)")
      ->allow_extra_args(false);
  export_command->add_option("--step", export_arguments.step, "A row every so many seconds [s] (default: all times)")
      ->check(CLI::PositiveNumber);
  export_command->footer("Example: tieline export results --csv out.csv --variables 'left.*' --step 1e-3");

  PlotArguments plot_arguments;
  auto* plot_command = app.add_subcommand("plot", "Plot variables of a result folder, or draw a model's diagram");
  plot_command->add_option("source", plot_arguments.source, "Result folder, or composite model (XML)")->required();
  plot_command->add_option("variables", plot_arguments.variables, "Variables (globs); for a result folder");
  plot_command->add_option("-o,--out", plot_arguments.out, "File to write: .svg, .png or .html (default: plot.svg)");
  plot_command->add_option("--with", plot_arguments.overlaid, "Overlay another result folder (repeatable)")
      ->allow_extra_args(false);
  plot_command->add_option("--title", plot_arguments.title, "Title of the plot");
  plot_command->footer(
      "Examples: tieline plot results 'ball.*.position' -o ball.html\n          tieline plot model.xml -o diagram.svg");

  CompareArguments compare_arguments;
  auto* compare_command = app.add_subcommand("compare", "Compare two runs: a table and an overlay plot");
  compare_command->add_option("a", compare_arguments.a, "Result folder")->required();
  compare_command->add_option("b", compare_arguments.b, "Result folder")->required();
  compare_command
      ->add_option("--variables", compare_arguments.variables, "Which variables (glob, repeatable; default: all)")
      ->allow_extra_args(false);
  compare_command->add_option("-o,--out", compare_arguments.out,
                              "Overlay plot: .svg, .png or .html (default: compare.svg)");
  compare_command->footer("Example: tieline compare line-results spring-results --variables '*.position'");

  bool schema_as_reference = false;
  auto* schema_command = app.add_subcommand("schema", "Print the XML Schema of composite models");
  schema_command->add_flag("--reference", schema_as_reference,
                           "Print the reference of elements and attributes (Markdown) instead");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? kDone : kUsage;
  }
  if (*run_command) return run(run_arguments);
  if (*check_command) return check(check_model, check_set);
  if (*info_command) return info(info_file);
  if (*export_command) return export_results(export_arguments);
  if (*plot_command) return plot(plot_arguments);
  if (*compare_command) return compare(compare_arguments);
  return schema(schema_as_reference);
}

}  // namespace
}  // namespace tieline::cli

int main(int argc, char** argv) {
  try {
    return tieline::cli::dispatch(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "tieline: " << error.what() << '\n';
    return tieline::cli::kRunFailed;
  }
}
