#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tieline::cli {

/// Exit codes of the program.
enum ExitCode { kDone = 0, kBadInput = 1, kRunFailed = 2, kUsage = 3 };

struct RunArguments {
  std::filesystem::path model{};
  std::filesystem::path out{};     ///< empty: "<model's file name>-results" in the present folder
  std::vector<std::string> set{};  ///< "name=value"
  std::optional<double> stop{};
  int threads = 0;
  bool records = true;
  bool is_quiet = false;
};

struct CheckArguments {
  std::filesystem::path model{};
  std::vector<std::string> set{};  ///< "name=value"
};

struct PlotArguments {
  std::filesystem::path source{};  ///< a result folder or file, or a model
  std::vector<std::string> variables{};
  std::vector<std::filesystem::path> overlaid{};  ///< further result folders in the same plot
  std::filesystem::path out{};
  std::string title{};
  bool is_coloured_by_run = false;
};

struct CompareArguments {
  std::filesystem::path a{};
  std::filesystem::path b{};
  std::vector<std::string> variables{};
  std::filesystem::path out{};
};

struct ExportArguments {
  std::filesystem::path folder{};
  std::filesystem::path csv{};  ///< empty: not asked for
  std::filesystem::path mat{};  ///< empty: not asked for
  std::vector<std::string> variables{};
  std::optional<double> step{};
};

/// Each command prints what a person wants to see and returns the program's exit code.
int run(const RunArguments& arguments);
int check(const CheckArguments& arguments);
int info(const std::filesystem::path& file);
int plot(const PlotArguments& arguments);
int compare(const CompareArguments& arguments);
int export_results(const ExportArguments& arguments);
/// Prints the XML Schema of model files, or the reference of all elements in Markdown.
int schema(bool as_reference);

}  // namespace tieline::cli
