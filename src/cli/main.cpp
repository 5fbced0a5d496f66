// The command line: what the arguments mean. What the commands do is in the other files of this folder.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <iostream>

#include "tieline/exchange.hpp"
#include "tieline/program.hpp"
#include "tieline/runner.hpp"
#include "tieline/simulation.hpp"
#include "tieline/version.hpp"

#include "cli/analysis_arguments.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/fmu_arguments.hpp"
#include "cli/host_arguments.hpp"
#include "cli/number_checks.hpp"
#include "cli/rail_arguments.hpp"

namespace tieline::cli {
namespace {

constexpr const char* kFooter = R"(Examples:
  tieline check examples/two-bodies/two-bodies.xml
  tieline run examples/two-bodies/two-bodies.xml --out results --set k=1e9
  tieline run pump.fmu --set diameter=0.02 --stop 5
  tieline run pump.fmu --input measured.csv --plot
  tieline watch results --variables 'body2.*'
  tieline plot results 'body2.*' -o body2.svg
  tieline animate results -o run.html
  tieline export results --csv results.csv --step 1e-4
  tieline compare results other-results
  tieline spectrum results 'body2.*.position' -o spectrum.svg
  tieline bearing 6214 --radial 1286 --axial 100 --speed 5000
  tieline ride results --vertical car.floor.velocity.z --lateral car.floor.velocity.y
  tieline sweep examples/two-bodies/two-bodies.xml --vary m2=2,5,10 --plot body2.body.position

Exit codes: 0 success, 1 error in the model or the input, 2 the run failed, 3 wrong usage.)";

/// Arguments of all commands; only those of the command that was given are filled.
struct Arguments {
  RunArguments run{};
  WatchArguments watch{};
  ControlArguments control{};
  CheckArguments check{};
  InfoArguments info{};
  ReplayArguments replay{};
  ExportArguments exported{};
  ConvertArguments convert{};
  ExportFmuArguments export_fmu{};
  PlotArguments plot{};
  AnimateArguments animate{};
  CompareArguments compare{};
  SweepArguments sweep{};
  LibraryArguments library{};
  AdviseArguments advise{};
  ModesArguments modes{};
  BearingArguments bearing{};
  SpectrumArguments spectrum{};
  RideArguments ride{};
  IrregularityArguments irregularity{};
  SiteArguments site{};
  bool schema_as_reference = false;
};

void add_settings(CLI::App& command, std::vector<std::string>& settings) {
  command
      .add_option("--set", settings,
                  "Override a parameter: name=value, component.name=value; for a single FMU: a variable (repeatable)")
      ->type_name("NAME=VALUE")
      ->check(check_assignment)
      ->allow_extra_args(false);
}

void add_variables(CLI::App& command, std::vector<std::string>& patterns) {
  command.add_option("--variables", patterns, "Variables to include; * matches any text (repeatable; default: all)")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
}

void add_run(CLI::App& app, RunArguments& arguments) {
  auto* command = app.add_subcommand("run", "Run a composite model or an FMU and record its results");
  command
      ->add_option("model", arguments.model,
                   "Composite model (XML), or FMU (or its unpacked folder); not needed with --resume")
      ->type_name("FILE");
  auto* out = command->add_option("--out", arguments.out,
                                  "Folder for the results (default: <model>-results, or the folder that is resumed)");
  out->type_name("FOLDER");
  add_settings(*command, arguments.set);
  add_fmu_options(*command, arguments.fmu);
  command->add_option("--stop", arguments.stop, "Stop time [s] instead of the model's")
      ->check(check_number)
      ->type_name("SECONDS");
  command
      ->add_option(
          "--threads", arguments.threads,
          "Number of threads at most (default: one for each core); fewer are used where that is faster. Results do not "
          "depend on it")
      ->check(CLI::Range(1, 1024))
      ->type_name("NUMBER");
  command
      ->add_option("--trace", arguments.trace,
                   "Write a timeline of computing and waiting, to open in Perfetto (ui.perfetto.dev) or Chrome")
      ->type_name("FILE.json");
  auto* checkpoint = command->add_option("--checkpoint", arguments.checkpoint,
                                         "Save the state of the whole run at this interval of simulated time [s]");
  checkpoint->check(check_positive)->type_name("SECONDS");
  auto* resume = command->add_option(
      "--resume", arguments.resume,
      "Continue from the last checkpoint in a result folder, with the same results as an unbroken run");
  resume->type_name("FOLDER");
  command->add_flag("--isolate", arguments.isolates,
                    "Run every native component, or group of them, in its own process; same results");
  command->add_option("--transport", arguments.transport, "Transport between processes: auto, shared_memory or tcp")
      ->check(CLI::IsMember({"auto", "shared_memory", "tcp"}))
      ->type_name("NAME");
  command->add_option("--routing", arguments.routing, "Routing between processes: direct, or through the master")
      ->check(CLI::IsMember({"direct", "master"}))
      ->type_name("NAME");
  command
      ->add_option("--sandbox", arguments.sandbox,
                   "Confine FMUs and programs at least so: standard, or strict for a model from a stranger")
      ->check(CLI::IsMember({"no", "standard", "strict"}))
      ->type_name("LEVEL");
  add_site(*command, arguments.site);
  command
      ->add_option("--place", arguments.place,
                   "Compute a component on a host of the site file, or `here`; * matches any text (repeatable). The "
                   "host `auto` is chosen by measured cost; `--place auto` chooses all others' hosts")
      ->type_name("COMPONENT=HOST")
      ->allow_extra_args(false);
  command
      ->add_option("--costs", arguments.costs,
                   "Result folder of an earlier run, by whose times hosts are chosen (default: that of --out)")
      ->type_name("FOLDER");
  command->add_flag("--dry-run", arguments.is_dry, "Print where everything would be computed, and start nothing");
  add_slurm(*command, arguments.on, arguments.nodes);
  auto* tracks = command->add_option("--record-tracks", arguments.record_tracks,
                                     "Record all inputs of this component, for `tieline replay` (repeatable)");
  tracks->type_name("COMPONENT")->delimiter(',')->allow_extra_args(false);
  auto* plot = command->add_flag("--plot", arguments.plots, "Plot what was recorded, and print the picture's path");
  command->add_flag("!--no-results", arguments.records, "Write no results")
      ->excludes(out)
      ->excludes(plot)
      ->excludes(checkpoint)
      ->excludes(tracks)
      ->excludes(resume);
  auto* quiet = command->add_flag("--quiet", arguments.is_quiet,
                                  "No progress, no summary: only errors, warnings and a verdict other than trust");
  command
      ->add_flag("--verbose", arguments.is_verbose, "Print tables of solvers, energies and connections after the run")
      ->excludes(quiet);
  command->footer(
      "Example: tieline run model.xml --out results --set k=1e9 --set left.m=3 --stop 0.1\n"
      "         tieline run model.xml --out results --checkpoint 0.05\n"
      "         tieline run --resume results\n"
      "         tieline run model.xml --isolate --transport tcp\n"
      "         tieline run model.xml --place rotor=big --place 'bearing*=lab' --site site.xml\n"
      "         tieline run pump.fmu --mode co_simulation --set diameter=0.02 --stop 5\n"
      "         tieline run pump.fmu --input measured.csv --map n=speed --record all --plot");
  command->callback([&arguments] {
    if (arguments.model.empty() && arguments.resume.empty()) throw CLI::RequiredError("model (or --resume)");
  });
}

void add_watch(CLI::App& app, WatchArguments& arguments) {
  auto* command = app.add_subcommand("watch", "Show the progress of a run that was started elsewhere");
  command->add_option("folder", arguments.folder, "Result folder of the run")->required()->type_name("FOLDER");
  command
      ->add_option("--variables", arguments.variables,
                   "Variables whose latest values are shown; * matches any text (repeatable)")
      ->type_name("PATTERN...");
  command
      ->add_option("--interval", arguments.interval,
                   "Time between updates [s] (default: 1 on a terminal, 10 elsewhere)")
      ->check(check_positive)
      ->type_name("SECONDS");
  command->add_option("--wait", arguments.wait, "Longest time to wait for the run to start [s] (default: 0)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS");
  command->add_flag("--once", arguments.is_once, "Show the progress once and exit");
  command->footer(
      "Examples: tieline watch results\n"
      "          tieline watch results --variables 'body2.*' --interval 5\n"
      "          tieline watch results --once");
}

void add_control(CLI::App& app, ControlArguments& arguments) {
  auto* command = app.add_subcommand("control", "Pause, continue or stop a run that was started elsewhere");
  command->add_option("folder", arguments.folder, "Result folder of the run")->required()->type_name("FOLDER");
  command->add_option("request", arguments.request, "What the run is to do")
      ->required()
      ->check(CLI::IsMember({"pause", "continue", "stop"}))
      ->type_name("pause|continue|stop");
  command->add_option("--wait", arguments.wait, "Longest time to wait for the run to follow [s] (default: 30)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS");
  command->footer(
      "A paused run completes the windows that it has begun, and keeps its memory and its processes. A stopped run\n"
      "closes its results; `tieline run --resume` continues it from its last checkpoint.\n"
      "Examples: tieline control results pause\n"
      "          tieline control results continue\n"
      "          tieline control results stop --wait 0");
}

void add_check(CLI::App& app, CheckArguments& arguments) {
  auto* command = app.add_subcommand("check", "Report every problem of a model at once, without running it");
  command->add_option("model", arguments.model, "Composite model (XML), or FMU (or its unpacked folder)")
      ->required()
      ->type_name("FILE");
  add_settings(*command, arguments.set);
  add_fmu_options(*command, arguments.fmu);
  add_site(*command, arguments.site);
  command->footer(
      "Examples: tieline check model.xml\n"
      "          tieline check pump.fmu --set diameter=0.02\n"
      "          tieline check pump.fmu --input measured.csv --map n=speed");
}

void add_info(CLI::App& app, InfoArguments& arguments) {
  auto* command = app.add_subcommand("info", "Describe a composite model, an FMU or a result folder");
  command
      ->add_option("file", arguments.file,
                   "Composite model (XML), FMU (or its unpacked folder), result folder or results.h5")
      ->required()
      ->type_name("PATH");
  auto* component = command->add_option("--component", arguments.component,
                                        "Start the program of this component, and ask it for its interfaces");
  component->type_name("NAME");
  add_site(*command, arguments.site);
  command->add_flag("--write", arguments.writes, "Add interfaces that the model does not declare to its file")
      ->needs(component);
  command->add_flag("--all", arguments.shows_all, "For an FMU: list every variable, including local ones")
      ->excludes(component);
  auto* verify = command->add_flag("--verify", arguments.verifies,
                                   "For an FMU: check its description against the standard, and load it in a process "
                                   "of its own to check what it claims");
  verify->excludes(component);
  command->add_option("--deadline", arguments.deadline, "Time for one check of --verify [s]")
      ->needs(verify)
      ->check(CLI::Range(0.1, 1e5))
      ->type_name("SECONDS");
  command->footer(
      "Examples: tieline info results\n"
      "          tieline info model.fmu\n"
      "          tieline info model.fmu --verify\n"
      "          tieline info model.xml --component bearing --write");
}

void add_replay(CLI::App& app, ReplayArguments& arguments) {
  auto* command = app.add_subcommand("replay", "Run one component of an earlier run again, alone");
  command->add_option("folder", arguments.folder, "Result folder of a run with --record-tracks")
      ->required()
      ->type_name("FOLDER");
  command->add_option("component", arguments.component, "Component whose inputs were recorded")
      ->required()
      ->type_name("COMPONENT");
  command->add_option("--out", arguments.out, "Folder for its results (default: replay-<component> in the folder)")
      ->type_name("FOLDER");
  add_site(*command, arguments.site);
  command->footer(
      "Example: tieline run model.xml --out results --record-tracks left\n"
      "         tieline replay results left");
}

void add_export(CLI::App& app, ExportArguments& arguments) {
  auto* command = app.add_subcommand("export", "Write results as comma-separated values or as a MAT file");
  command->add_option("results", arguments.folder, "Result folder")->required()->type_name("FOLDER");
  auto* formats = command->add_option_group("formats", "What to write");
  formats->add_option("--csv", arguments.csv, "Comma-separated values")->type_name("FILE");
  formats->add_option("--mat", arguments.mat, "MAT v4 trajectories, for OMEdit, DyMat and MATLAB")->type_name("FILE");
  formats->require_option(1, 2);
  add_variables(*command, arguments.variables);
  command->add_option("--step", arguments.step, "Time between rows [s] (default: all times)")
      ->check(check_positive)
      ->type_name("SECONDS");
  command->footer(
      "Example: tieline export results --csv out.csv --variables 'left.*' --step 1e-3\n"
      "         tieline export results --mat out.mat");
}

void add_plotted_part(CLI::App& command, std::string& x, std::optional<double>& from, std::optional<double>& to,
                      CLI::Option* difference = nullptr) {
  auto* along = command.add_option("--x", x, "Variable on the x axis instead of time, for a phase plot");
  along->type_name("VARIABLE");
  if (difference != nullptr) along->excludes(difference);
  command.add_option("--from", from, "Start at this time [s] instead of the run's start")
      ->check(check_number)
      ->type_name("SECONDS");
  command.add_option("--to", to, "End at this time [s] instead of the run's end")
      ->check(check_number)
      ->type_name("SECONDS");
}

void add_plot(CLI::App& app, PlotArguments& arguments) {
  auto* command = app.add_subcommand("plot", "Plot variables of a result folder, or draw a model's diagram");
  command->add_option("source", arguments.source, "Result folder, folder of a sweep, or composite model (XML)")
      ->required()
      ->type_name("PATH");
  command
      ->add_option("variables", arguments.variables,
                   "Variables of results, or columns of a sweep's table; * matches any text; a+b: both in one panel; "
                   "a=b: a of the first run, b of the others")
      ->type_name("PATTERN");
  command->add_option("-o,--out", arguments.out, "File to write: .svg, .png or .html (default: plot.svg, diagram.svg)")
      ->type_name("FILE");
  command->add_option("--with", arguments.overlaid, "Overlay the same variables of another result folder (repeatable)")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  auto* difference = command->add_flag("--difference", arguments.has_differences,
                                       "Add panels with the differences of the runs of --with from the first run");
  add_plotted_part(*command, arguments.x, arguments.from, arguments.to, difference);
  command->add_flag("--colour-by-run", arguments.is_coloured_by_run,
                    "Colours distinguish runs, dashes distinguish variables (default: the reverse)");
  command->add_option("--log", arguments.log_axes, "Logarithmic axes: x, y or xy")
      ->check(CLI::IsMember({"x", "y", "xy"}))
      ->type_name("AXES");
  command->add_option("--over", arguments.over, "For a sweep: parameter on the x axis (default: the first)")
      ->type_name("PARAMETER");
  command
      ->add_option("--slope", arguments.slopes, "For a sweep: draw a line of this slope beside the curves (repeatable)")
      ->type_name("NUMBER")
      ->allow_extra_args(false);
  command
      ->add_option("--title", arguments.title,
                   "Title of the plot (default: the model's name, and what differs between runs)")
      ->type_name("TEXT");
  command->footer(
      "Examples: tieline plot results 'ball.*.position' -o ball.html\n"
      "          tieline plot results ball.body.velocity --x ball.body.position -o phase.svg\n"
      "          tieline plot results ball.body.position --from 0.1 --to 0.2 -o part.svg\n"
      "          tieline plot results load.shaft.angle+controller.wanted.value -o follow.svg\n"
      "          tieline plot line '*.position' --with sampled --colour-by-run -o both.svg\n"
      "          tieline plot line ball.position=whole.ball.position --with whole --difference -o error.svg\n"
      "          tieline plot model-sweep '*.error' --log xy --slope 2 -o order.svg\n"
      "          tieline plot model.xml -o diagram.svg");
}

void add_compare(CLI::App& app, CompareArguments& arguments) {
  auto* command = app.add_subcommand("compare", "Compare two runs: a table, and a plot with their differences");
  command->add_option("a", arguments.a, "Result folder")->required()->type_name("FOLDER");
  command->add_option("b", arguments.b, "Result folder")->required()->type_name("FOLDER");
  add_variables(*command, arguments.variables);
  command
      ->add_option("-o,--out", arguments.out,
                   "Plot of both runs and their difference: .svg, .png or .html (default: compare.svg)")
      ->type_name("FILE");
  add_plotted_part(*command, arguments.x, arguments.from, arguments.to);
  command->add_option("--title", arguments.title, "Title of the plot (default: the model's name, and what differs)")
      ->type_name("TEXT");
  command->footer(
      "Example: tieline compare results other-results --variables '*.position'\n"
      "         tieline compare coupled whole --variables left.body.position=pair.body1.position -o error.svg");
}

void add_sweep(CLI::App& app, SweepArguments& arguments) {
  auto* command = app.add_subcommand("sweep", "Run a model once per combination of parameters, in parallel");
  command->add_option("model", arguments.model, "Composite model (XML)")->required()->type_name("FILE");
  auto* source = command->add_option_group("combinations", "What is varied");
  source
      ->add_option("--vary", arguments.vary,
                   "Values of a parameter: name=a,b,c or name=from:to:count[:log] (repeatable: all combinations)")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false);
  source->add_option("--list", arguments.list, "Combinations from a file: names in the first row, values below")
      ->type_name("FILE.csv");
  source->require_option(1, 2);
  command->add_option("--out", arguments.out, "Folder for table, plot and runs (default: <model>-sweep)")
      ->type_name("FOLDER");
  add_settings(*command, arguments.set);
  command->add_option("--stop", arguments.stop, "Stop time [s] instead of the model's")
      ->check(check_number)
      ->type_name("SECONDS");
  command->add_option("--jobs", arguments.jobs, "Number of runs in parallel (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("NUMBER");
  command->add_option("--threads-per-run", arguments.threads_per_run, "Threads per run (default: 1)")
      ->check(CLI::Range(1, 1024))
      ->type_name("NUMBER");
  command
      ->add_option("--measure", arguments.measures,
                   "Variables to report by final, smallest and largest value; * matches any text (repeatable)")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  command->add_option("--plot", arguments.plotted, "Variables to plot, all runs overlaid (repeatable)")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  auto* reference = command->add_option("--reference", arguments.reference, "Result folder of the reference solution");
  reference->type_name("FOLDER");
  command
      ->add_option("--error", arguments.errors,
                   "Variables to report by their largest difference from the reference; name=other if its name there "
                   "differs (repeatable)")
      ->type_name("PATTERN")
      ->allow_extra_args(false)
      ->needs(reference);
  command
      ->add_option("--on", arguments.on,
                   "slurm: let the batch system Slurm compute the combinations, as the tasks of a job array")
      ->check(CLI::IsMember({"slurm"}))
      ->type_name("SYSTEM");
  add_site(*command, arguments.site);
  auto* resume = command->add_flag("--resume", arguments.resumes, "Continue a sweep that was stopped or killed");
  command->add_flag("--fresh", arguments.is_fresh, "Discard the results of an earlier sweep in the folder")
      ->excludes(resume);
  command->add_flag("--quiet", arguments.is_quiet, "No progress, no table: only errors and warnings");
  command->footer(
      "Examples: tieline sweep model.xml --vary k=1e6,1e7 --vary T=1e-5:1e-4:4 --measure body2.body.position\n"
      "          tieline sweep model.xml --list cases.csv --plot body2.body.position --jobs 2\n"
      "          tieline sweep model.xml --list cases.csv --resume\n"
      "          tieline sweep model.xml --vary T=1e-4,5e-5 --reference exact --error body2.body.position");
}

void add_animate(CLI::App& app, AnimateArguments& arguments) {
  auto* command = app.add_subcommand("animate", "Write an animation of bodies in space for a browser");
  command->add_option("folder", arguments.folder, "Result folder of a run with bodies in space")
      ->required()
      ->type_name("FOLDER");
  command->add_option("-o,--out", arguments.out, "File to write (default: animation.html)")->type_name("FILE.html");
  command->add_option("--frames", arguments.frames, "Number of frames, evenly spaced in time (default: 600)")
      ->check(CLI::Range(2, 100000))
      ->type_name("NUMBER");
  command->add_option("--from", arguments.from, "Start at this time [s] instead of the run's start")
      ->check(check_number)
      ->type_name("SECONDS");
  command->add_option("--to", arguments.to, "End at this time [s] instead of the run's end")
      ->check(check_number)
      ->type_name("SECONDS");
  command->add_option("--title", arguments.title, "Title (default: the model's name)")->type_name("TEXT");
  command->footer(
      "Examples: tieline animate results -o run.html\n"
      "          tieline animate results --from 0.1 --to 0.2 --frames 2000 -o detail.html");
}

void add_export_fmu(CLI::App& app, ExportFmuArguments& arguments) {
  auto* command = app.add_subcommand("export-fmu", "Export a model, or one component of it, as an FMU");
  command->add_option("model", arguments.model, "Composite model")->required()->type_name("MODEL");
  command->add_option("-o,--out", arguments.out, "FMU to write (default: <model>.fmu here)")->type_name("FILE");
  command->add_option("--fmi", arguments.version, "Version of FMI: 2.0 (default) or 3.0")
      ->check(CLI::IsMember({"2.0", "3.0"}))
      ->type_name("VERSION");
  command->add_option("--component", arguments.component, "Export this component alone; all its interfaces are open")
      ->type_name("NAME");
  command->add_flag("--model-exchange", arguments.is_exchange,
                    "Export the equations of the component, for solvers of other tools (default: co-simulation)");
  command->add_option("--set", arguments.set, "Override a parameter; the FMU starts with this value")
      ->type_name("NAME=VALUE");
  command
      ->add_option("--parameter", arguments.parameters,
                   "Parameters of the FMU: names or patterns, or 'none' (default: all of the model)")
      ->type_name("PATTERN...");
  command->add_option("--output", arguments.outputs, "Recorded variables that are outputs, too: names or patterns")
      ->type_name("PATTERN...");
  command
      ->add_option("--wave", arguments.waves,
                   "Open interfaces that are ends of lines: they take a wave and an impedance in place of a force")
      ->type_name("PATTERN...");
  command->add_option("--stop", arguments.stop, "Stop time of the default experiment [s] (default: the model's)")
      ->type_name("SECONDS");
  command->add_flag("--force", arguments.is_forced, "Replace an existing file");
  command->footer(
      "Examples: tieline export-fmu plant.xml -o plant.fmu --fmi 3.0\n"
      "          tieline export-fmu two-bodies.xml --component body1 --fmi 3.0 --wave end -o body1.fmu");
}

void add_convert(CLI::App& app, ConvertArguments& arguments) {
  auto* command = app.add_subcommand("convert", "Convert a model to another format");
  command->add_option("in", arguments.in, fmt::format("Model to read: {}", readable_formats()))
      ->required()
      ->type_name("FILE");
  command
      ->add_option("out", arguments.out,
                   fmt::format("Model to write; its extension gives the format: {}", writable_formats()))
      ->required()
      ->type_name("FILE");
  command->add_flag("--force", arguments.is_forced, "Replace an existing file");
  command->add_option("--format", arguments.format, "Format to write: tieline, modelica, omtlm or meta-model")
      ->type_name("NAME");
  command->add_flag("--check", arguments.only_reports, "Only report what would be converted; write nothing");
  command->add_flag("--fmus", arguments.makes_fmus,
                    "In an SSP, write native components as FMUs as well, so that other tools can run it");
  command->footer(
      "Examples: tieline convert omtlm.xml model.xml\n"
      "          tieline convert model.mo model.xml --check\n"
      "          tieline convert model.xml omtlm.xml --format omtlm");
}

void add_library_model(CLI::App& command, LibraryArguments& arguments) {
  command.add_option("--model", arguments.model, "Search the folder of this model first")->type_name("FILE");
}

void add_library(CLI::App& app, LibraryArguments& arguments) {
  auto* library = app.add_subcommand("library", "List, show, add and export component types");
  library->require_subcommand(1);
  library->footer("Example: tieline library show mechanics.Support");
  auto* list = library->add_subcommand("list", "List all types found");
  add_library_model(*list, arguments);
  list->footer("Example: tieline library list --model model.xml");
  auto* show = library->add_subcommand("show", "Show a type: parameters, interfaces, files");
  show->add_option("type", arguments.types, "library.Type")->required()->expected(1)->type_name("TYPE");
  add_library_model(*show, arguments);
  show->footer("Example: tieline library show mechanics.Support");
  auto* add = library->add_subcommand("add", "Check a library file and copy it to the user's folder");
  add->add_option("file", arguments.file, "Library (XML)")->required()->type_name("FILE");
  add->add_flag("--replace", arguments.replaces, "Replace a library of that name");
  add->footer("Example: tieline library add bearings.xml");
  auto* exported =
      library->add_subcommand("export", "Write types, with everything they depend on, as a self-contained library");
  exported->add_option("types", arguments.types, "library.Type")->required()->type_name("TYPE...");
  exported->add_option("-o,--out", arguments.file, "Library to write (XML)")->required()->type_name("FILE");
  exported->add_flag("--replace", arguments.replaces, "Replace existing files");
  add_library_model(*exported, arguments);
  exported->footer("Example: tieline library export mechanics.HardSupport -o supports.xml");
}

int library(const CLI::App& command, const LibraryArguments& arguments) {
  if (command.got_subcommand("list")) return list_libraries(arguments);
  if (command.got_subcommand("show")) return show_type(arguments);
  if (command.got_subcommand("add")) return add_library(arguments);
  return export_types(arguments);
}

void add_advise(CLI::App& app, AdviseArguments& arguments) {
  auto* command = app.add_subcommand("advise", "Report what lines add to a model, and what other delays would cost");
  command->add_option("model", arguments.model, "Composite model (XML)")->required()->type_name("FILE");
  command
      ->add_option("--accuracy", arguments.accuracy,
                   "Relative error of frequencies for which delays are recommended; 0.01 is one per cent")
      ->check(check_positive)
      ->capture_default_str();
  command->add_flag("--probe", arguments.tries_programs,
                    "Start the programs that lines join, and find the masses at their interfaces by steps under small "
                    "loads, which they take back");
  add_settings(*command, arguments.set);
  command->footer("Example: tieline advise model.xml --accuracy 0.001 --set T=1e-4");
}

void add_modes(CLI::App& app, ModesArguments& arguments) {
  auto* command = app.add_subcommand("modes", "Report the natural frequencies of structures, and where they move most");
  command->add_option("model", arguments.model, "Composite model (XML)")->required()->type_name("FILE");
  command->add_option("--count", arguments.count, "Number of modes per structure, from the lowest (default: 10)")
      ->check(CLI::Range(1, 10000))
      ->type_name("NUMBER");
  command->add_option("--component", arguments.component, "Only this component")->type_name("NAME");
  add_settings(*command, arguments.set);
  command->footer(
      "Examples: tieline modes model.xml --count 6\n"
      "          tieline modes model.xml --component frame --set L=2");
}

void add_schema(CLI::App& app, bool& as_reference) {
  auto* command = app.add_subcommand("schema", "Print the XML Schema of composite models");
  command->add_flag("--reference", as_reference, "Print the reference of elements and attributes (Markdown) instead");
  command->footer("Example: tieline schema > tieline.xsd");
}

std::string suggestion(const std::string& wrong, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(wrong, known);
  return nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
}

/// What is wrong with the arguments, what would be right, and where to read on.
std::string usage_message(const CLI::App* app, const CLI::Error& error) {
  const auto commands = app->get_subcommands();
  auto unexpected = app->remaining(true);
  // Of an unknown option and its value the option is the mistake.
  std::stable_partition(unexpected.begin(), unexpected.end(), [](const auto& text) { return text.starts_with('-'); });
  if (commands.empty()) {
    if (unexpected.empty()) return app->help();
    std::vector<std::string> names;
    for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(command->get_name());
    }
    const bool is_option = unexpected.front().starts_with('-');
    return fmt::format("tieline: there is no {} '{}'{}\nSee `tieline --help`.\n", is_option ? "option" : "command",
                       unexpected.front(), suggestion(unexpected.front(), names));
  }
  const CLI::App* command = commands.front();
  std::string what = error.what();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !unexpected.empty()) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command->get_options()) names.push_back(option->get_name());
    what = fmt::format("'{}' was not expected{}", unexpected.front(), suggestion(unexpected.front(), names));
  }
  return fmt::format("tieline {0}: {1}\n{2}\nSee `tieline {0} --help`.\n", command->get_name(), what,
                     command->get_footer());
}

int dispatch(int argc, char** argv) {
  CLI::App app{"Tieline runs models from different simulation tools, each with its own solver, as one simulation."};
  app.set_version_flag("--version", std::string(version()));
  app.footer(kFooter);
  app.require_subcommand(1);
  app.failure_message(usage_message);
  Arguments arguments;
  add_run(app, arguments.run);
  add_watch(app, arguments.watch);
  add_control(app, arguments.control);
  add_check(app, arguments.check);
  add_info(app, arguments.info);
  add_replay(app, arguments.replay);
  add_export(app, arguments.exported);
  add_convert(app, arguments.convert);
  add_export_fmu(app, arguments.export_fmu);
  add_plot(app, arguments.plot);
  add_animate(app, arguments.animate);
  add_compare(app, arguments.compare);
  add_sweep(app, arguments.sweep);
  add_library(app, arguments.library);
  add_advise(app, arguments.advise);
  add_modes(app, arguments.modes);
  add_spectrum(app, arguments.spectrum);
  add_bearing(app, arguments.bearing);
  add_ride(app, arguments.ride);
  add_irregularity(app, arguments.irregularity);
  add_site_command(app, arguments.site);
  add_schema(app, arguments.schema_as_reference);
  // For the program's own use: `run` starts it, and passes it everything else.
  app.add_subcommand("runner", "Compute one component or group on behalf of a run")->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? kDone : kUsage;
  }
  arguments.run.words.assign(argv + 1, argv + argc);
  if (app.got_subcommand("run")) return run(arguments.run);
  if (app.got_subcommand("runner")) return run_as_runner();
  if (app.got_subcommand("watch")) return watch(arguments.watch);
  if (app.got_subcommand("control")) return control(arguments.control);
  if (app.got_subcommand("check")) return check(arguments.check);
  if (app.got_subcommand("info")) return info(arguments.info);
  if (app.got_subcommand("replay")) return replay(arguments.replay);
  if (app.got_subcommand("export")) return export_results(arguments.exported);
  if (app.got_subcommand("convert")) return convert(arguments.convert);
  if (app.got_subcommand("export-fmu")) return export_fmu(arguments.export_fmu);
  if (app.got_subcommand("plot")) return plot(arguments.plot);
  if (app.got_subcommand("animate")) return animate(arguments.animate);
  if (app.got_subcommand("compare")) return compare(arguments.compare);
  if (app.got_subcommand("sweep")) return sweep(arguments.sweep);
  if (app.got_subcommand("library")) return library(*app.get_subcommand("library"), arguments.library);
  if (app.got_subcommand("advise")) return advise(arguments.advise);
  if (app.got_subcommand("modes")) return modes(arguments.modes);
  if (app.got_subcommand("spectrum")) return spectrum(arguments.spectrum);
  if (app.got_subcommand("bearing")) return bearing(arguments.bearing);
  if (app.got_subcommand("ride")) return ride(arguments.ride);
  if (app.got_subcommand("site")) return check_hosts(arguments.site);
  if (app.got_subcommand("irregularity")) return irregularity(arguments.irregularity);
  return schema(arguments.schema_as_reference);
}

}  // namespace
}  // namespace tieline::cli

int main(int argc, char** argv) {
  tieline::cli::prepare_streams();
  try {
    return tieline::cli::after_output(tieline::cli::dispatch(argc, argv));
  } catch (const tieline::ModelError& error) {
    return tieline::cli::complain_of_model(error.what());
  } catch (const tieline::RunError& error) {
    return tieline::cli::complain(error.what(), tieline::cli::kRunFailed);
  } catch (const tieline::FileError& error) {
    return tieline::cli::complain(error.what());
  } catch (const std::out_of_range& error) {
    return tieline::cli::complain(error.what());
  } catch (const std::system_error& error) {
    // What a full or closed stream makes of printing.
    if (std::ferror(stdout) != 0) return tieline::cli::complain_of_output(error.code());
    return tieline::cli::complain(error.what(), tieline::cli::kRunFailed);
  } catch (const std::exception& error) {
    return tieline::cli::complain(error.what(), tieline::cli::kRunFailed);
  }
}
