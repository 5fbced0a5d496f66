#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tieline::cli {

/// Exit codes of the program.
enum ExitCode { kDone = 0, kBadInput = 1, kRunFailed = 2, kUsage = 3 };

/// Options that a single FMU takes.
struct FmuArguments {
  std::string mode{};              ///< empty: what it offers
  std::filesystem::path input{};   ///< empty: inputs keep their start values
  std::vector<std::string> map{};  ///< "column=input"
  std::optional<double> step{};    ///< [s]
  std::string solver{};            ///< empty: automatic
  std::optional<double> tolerance{};
  std::optional<double> write_interval{};  ///< [s]
  std::vector<std::string> record{};       ///< empty: outputs
};

struct RunArguments {
  std::filesystem::path model{};   ///< empty: that of the run which is resumed
  std::filesystem::path resume{};  ///< result folder of a run to continue with; empty: none
  std::filesystem::path out{};     ///< empty: the folder that is resumed, or "<model's file name>-results" here
  std::filesystem::path trace{};   ///< empty: none
  std::vector<std::string> set{};  ///< "name=value"
  FmuArguments fmu{};
  std::optional<double> stop{};
  std::optional<double> checkpoint{};  ///< simulated seconds between checkpoints
  int threads = 0;
  bool records = true;
  bool is_quiet = false;
  bool is_verbose = false;                   ///< tables of counters, too
  bool plots = false;                        ///< makes a picture of what was recorded
  bool isolates = false;                     ///< native components in processes of their own
  std::string transport{};                   ///< empty: as the model says
  std::string routing{};                     ///< empty: as the model says
  std::string sandbox{};                     ///< at least; empty: as the model says
  std::filesystem::path site{};              ///< empty: looked for
  std::vector<std::string> record_tracks{};  ///< components
  std::vector<std::string> place{};          ///< "component=host", or "auto"
  std::filesystem::path costs{};             ///< result folder by whose times hosts are chosen; empty: `out`
  std::string on{};                          ///< "slurm"; empty: this machine and the hosts of the site file
  int nodes = 0;                             ///< of Slurm; 0: as the site file says
  bool is_dry = false;                       ///< only shows where all would be computed
  bool has_default_folder = false;           ///< `out` was not given
  std::vector<std::string> words{};          ///< of the command line, after the program
};

struct SiteArguments {
  std::filesystem::path site{};  ///< empty: looked for
  double deadline = 60.0;        ///< for a host to answer [s]
};

struct ReplayArguments {
  std::filesystem::path folder{};
  std::string component{};
  std::filesystem::path out{};   ///< empty: "replay-<component>" in the folder
  std::filesystem::path site{};  ///< empty: looked for
};

struct InfoArguments {
  std::filesystem::path file{};  ///< a composite model, an FMU, a result folder or file
  std::string component{};       ///< whose program is asked; empty: none
  std::filesystem::path site{};  ///< empty: looked for
  bool writes = false;           ///< what the model does not declare goes into its file
  bool shows_all = false;        ///< of an FMU: local variables, too
  bool verifies = false;         ///< of an FMU: whether it does what it claims
  double deadline = 60.0;        ///< for one of these checks [s]
};

struct WatchArguments {
  std::filesystem::path folder{};
  std::vector<std::string> variables{};
  std::optional<double> interval{};  ///< between two looks [s]
  double wait = 0.0;                 ///< for a run to begin [s]
  bool is_once = false;
};

struct ControlArguments {
  std::filesystem::path folder{};
  std::string request{};  ///< "pause", "continue" or "stop"
  double wait = 30.0;     ///< for the run to follow [s]
};

struct CheckArguments {
  std::filesystem::path model{};
  std::filesystem::path site{};    ///< empty: where site files are looked for
  std::vector<std::string> set{};  ///< "name=value"
  FmuArguments fmu{};
};

struct AdviseArguments {
  std::filesystem::path model{};
  std::vector<std::string> set{};  ///< "name=value"
  double accuracy = 0.01;          ///< wanted of frequencies, relative
  bool tries_programs = false;
};

struct ExportFmuArguments {
  std::filesystem::path model{};
  std::filesystem::path out{};            ///< empty: "<model's file name>.fmu" here
  std::string version = "2.0";            ///< of FMI
  bool is_exchange = false;               ///< model exchange
  std::string component{};                ///< empty: the whole model
  std::vector<std::string> set{};         ///< "name=value"
  std::vector<std::string> parameters{};  ///< empty: all; "none"
  std::vector<std::string> outputs{};     ///< beside those of open interfaces
  std::vector<std::string> waves{};       ///< interfaces with the law inside
  std::optional<double> stop{};
  bool is_forced = false;
};

struct ModesArguments {
  std::filesystem::path model{};
  std::vector<std::string> set{};  ///< "name=value"
  std::string component{};         ///< empty: all
  int count = 10;
};

struct PlotArguments {
  std::filesystem::path source{};  ///< a result folder or file, or a model
  std::vector<std::string> variables{};
  std::vector<std::filesystem::path> overlaid{};  ///< further result folders in the same plot
  std::filesystem::path out{};
  std::string title{};
  std::string log_axes{};        ///< "x", "y", "xy"; empty: none
  std::string over{};            ///< of a sweep: the parameter along x; empty: the first
  std::vector<double> slopes{};  ///< of a sweep: lines to compare with
  std::string x{};               ///< of results: the variable along x; empty: time
  std::optional<double> from{};  ///< of results [s]
  std::optional<double> to{};    ///< of results [s]
  bool is_coloured_by_run = false;
  bool has_differences = false;  ///< of results: panels with the overlaid runs less the first
};

struct AnimateArguments {
  std::filesystem::path folder{};
  std::filesystem::path out{};
  std::string title{};
  int frames = 600;
  std::optional<double> from{};  ///< [s]
  std::optional<double> to{};    ///< [s]
};

struct CompareArguments {
  std::filesystem::path a{};
  std::filesystem::path b{};
  std::vector<std::string> variables{};
  std::filesystem::path out{};
  std::string title{};           ///< of the plot; empty: the model's name and what differs
  std::string x{};               ///< of the plot: the variable along x; empty: time
  std::optional<double> from{};  ///< of the plot [s]
  std::optional<double> to{};    ///< of the plot [s]
};

struct ConvertArguments {
  std::filesystem::path in{};
  std::filesystem::path out{};
  bool is_forced = false;     ///< an existing file is replaced
  bool only_reports = false;  ///< nothing is written
  bool makes_fmus = false;    ///< of native components, in an SSP
  std::string format{};       ///< to write; empty: by the ending
};

struct ExportArguments {
  std::filesystem::path folder{};
  std::filesystem::path csv{};  ///< empty: not asked for
  std::filesystem::path mat{};  ///< empty: not asked for
  std::vector<std::string> variables{};
  std::optional<double> step{};
};

struct SweepArguments {
  std::filesystem::path model{};
  std::vector<std::string> vary{};  ///< "name=a,b,c" or "name=from:to:count"
  std::filesystem::path list{};     ///< empty: none
  std::filesystem::path out{};      ///< empty: "<model's file name>-sweep" in the present folder
  std::vector<std::string> set{};   ///< "name=value"
  std::optional<double> stop{};
  int jobs = 0;
  int threads_per_run = 1;
  std::vector<std::string> measures{};
  std::vector<std::string> plotted{};
  std::filesystem::path reference{};  ///< empty: none
  std::vector<std::string> errors{};
  bool resumes = false;
  bool is_fresh = false;
  bool is_quiet = false;
  std::string on{};              ///< "slurm"; empty: this machine
  std::filesystem::path site{};  ///< empty: looked for
};

struct LibraryArguments {
  std::filesystem::path model{};     ///< whose folder is looked at first; empty: none
  std::vector<std::string> types{};  ///< "library.Type"
  std::filesystem::path file{};      ///< to add, or to write
  bool replaces = false;
};

struct BearingArguments {
  std::string type{};  ///< or a file
  bool lists = false;
  std::vector<double> radial{};    ///< along y, z [N]
  double axial = 0.0;              ///< [N]
  std::vector<double> moment{};    ///< about z, or about y and z [N m]; empty: the rings are held parallel
  double speed = 0.0;              ///< [rpm]
  double first_ball = 0.0;         ///< [degrees]
  std::string control{};           ///< empty: outer
  std::vector<std::string> set{};  ///< "name=value"
  std::filesystem::path out{};     ///< empty: no plot
  bool prints_json = false;
};

struct SpectrumArguments {
  std::filesystem::path folder{};
  std::vector<std::string> variables{};
  std::filesystem::path out{};
  std::string window = "hann";
  std::optional<double> from{};  ///< [s]
  std::optional<double> to{};    ///< [s]
  std::optional<double> rate{};  ///< [Hz]
  std::optional<int> segments{};
  std::optional<double> resolution{};  ///< [Hz] or orders
  double overlap = 0.5;
  bool is_density = false;
  std::string order{};     ///< variable; empty: frequencies
  std::string envelope{};  ///< "low:high"; empty: none
  std::vector<std::string> marks{};
  int harmonics = 3;
  int peaks = 10;
  std::optional<double> highest{};  ///< [Hz] or orders
  std::string log_axes{};
  std::string title{};
};

struct RideArguments {
  std::filesystem::path folder{};
  std::string vertical{}, lateral{}, longitudinal{};  ///< variables; empty: none
  std::vector<std::string> wheels{};                  ///< "name=lateral,vertical"
  std::optional<double> speed{};                      ///< [m/s]
  std::optional<double> averaging_length{};           ///< [m]
  std::optional<double> static_load{};                ///< [N]
  std::optional<double> flange_angle{};               ///< [degrees]
  std::optional<double> friction{};
  std::optional<double> segment{};  ///< [s]
  std::optional<double> from{};     ///< [s]
  std::optional<double> to{};       ///< [s]
  bool prints_json = false;
};

struct IrregularityArguments {
  std::string spectrum{};
  bool lists = false;
  std::filesystem::path out{};  ///< empty: irregularity.csv
  std::filesystem::path plot{};
  std::optional<double> length{}, step{};  ///< [m]
  std::uint64_t seed = 1;
  double scale = 1.0;
  std::optional<double> shortest{}, longest{};  ///< [m]
  double fade_in = 20.0;                        ///< [m]
  std::optional<double> speed{};                ///< [m/s]
};

/// Each command prints what a person wants to see and returns the program's exit code.
int run(const RunArguments& arguments);
/// Shows the progress of a run in another process.
int watch(const WatchArguments& arguments);
int control(const ControlArguments& arguments);
int check(const CheckArguments& arguments);
int info(const InfoArguments& arguments);
/// Computes a component of an earlier run again, alone.
int replay(const ReplayArguments& arguments);
int plot(const PlotArguments& arguments);
/// Writes what happens in space as a page to be watched in a browser.
int animate(const AnimateArguments& arguments);
int compare(const CompareArguments& arguments);
int export_results(const ExportArguments& arguments);
int convert(const ConvertArguments& arguments);
int export_fmu(const ExportFmuArguments& arguments);
int sweep(const SweepArguments& arguments);
int advise(const AdviseArguments& arguments);
/// Prints the natural frequencies of structures.
int modes(const ModesArguments& arguments);
/// Computes what a ball bearing carries, or lists the types.
int bearing(const BearingArguments& arguments);
int spectrum(const SpectrumArguments& arguments);
/// Judges comfort and running safety of a rail vehicle.
int ride(const RideArguments& arguments);
/// Makes irregularities of a track, or lists the spectra.
int irregularity(const IrregularityArguments& arguments);
int check_hosts(const SiteArguments& arguments);
/// "low:high"; nothing if it is not.
[[nodiscard]] std::optional<std::pair<double, double>> parse_band(const std::string& text);
int list_libraries(const LibraryArguments& arguments);
int show_type(const LibraryArguments& arguments);
/// Checks a library file and copies it, with what it names, to the user's folder.
int add_library(const LibraryArguments& arguments);
/// Writes types, with those that they extend or use, as one library, and the files that they name beside it.
int export_types(const LibraryArguments& arguments);
/// Prints the XML Schema of model files, or the reference of all elements in Markdown.
int schema(bool as_reference);

}  // namespace tieline::cli
