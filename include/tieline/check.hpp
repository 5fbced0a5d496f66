#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tieline/export.hpp"
#include "tieline/problem.hpp"
#include "tieline/setting.hpp"
#include "tieline/simulation.hpp"

/// What can be said of a model without running it. Functions throw ModelError, with every problem, where a model cannot
/// be used.
namespace tieline {

/// The setting that chooses who solves the equations of a single FMU: "model_exchange" or "co_simulation".
inline constexpr std::string_view kFmuModeSetting = "Fmu.mode";

struct CheckOptions {
  std::vector<Setting> settings{};
  std::filesystem::path site{};  ///< file that describes tools; empty: looked for
};

/// How the program of a component would come into a run.
struct Launch {
  std::string component{};
  std::string command{};           ///< on one line, quoted; empty: nobody starts it, and it is awaited
  std::filesystem::path folder{};  ///< to work in

  [[nodiscard]] bool is_awaited() const { return command.empty(); }
};

/// What a check has found.
struct CheckReport {
  std::vector<Problem> problems{};             ///< sorted by place, notes last
  std::vector<std::filesystem::path> files{};  ///< that a run would read; empty where the model cannot be read at all
  std::vector<Launch> launches{};              ///< of components that are programs
  std::size_t errors = 0;                      ///< how many of the problems
  std::size_t warnings = 0;                    ///< how many of the problems
};

/// Reads a composite model or an FMU with everything it refers to, builds it without running it, and lists every
/// problem. Does not throw for what is wrong with the model.
[[nodiscard]] TIELINE_PUBLIC CheckReport check_model(const std::filesystem::path& model,
                                                     const CheckOptions& options = {});

struct ParameterInfo {
  std::string name{};
  double value = 0.0;  ///< [unit]
  std::string unit{};
  std::string description{};
};

struct InterfaceInfo {
  std::string name{};
  std::string domain{};     ///< "translation", "rotation", "mechanical3d", ..., or "signal"
  std::string causality{};  ///< "force" or "motion", which it takes; of signals "input" or "output"
  int size = 1;             ///< numbers of a signal, or points
};

struct ComponentInfo {
  std::string name{};
  std::string kind{};
  std::string solver{};  ///< "auto" where the model states none
  std::vector<InterfaceInfo> interfaces{};
};

struct ConnectionInfo {
  std::string name{};
  std::string from{};      ///< "component.interface"
  std::string to{};        ///< "component.interface"
  std::string coupling{};  ///< "line", "sampled", "glue" or "signal"
  std::string figures{};   ///< the coupling and its figures with their units, in words

  [[nodiscard]] bool is_signal() const { return coupling == "signal"; }
};

/// What a composite model contains.
struct ModelInfo {
  std::string name{};
  std::string description{};
  std::vector<ParameterInfo> parameters{};
  std::vector<ComponentInfo> components{};
  std::vector<ConnectionInfo> connections{};
  std::vector<std::filesystem::path> files{};  ///< that a run would read
  double start = 0.0;                          ///< [s]
  double stop = 0.0;                           ///< [s]
  std::vector<Problem> problems{};             ///< as far as reading finds them
  std::size_t errors = 0;                      ///< how many of the problems
};

/// Describes a model, even one with errors; throws ModelError where it cannot be read at all.
[[nodiscard]] TIELINE_PUBLIC ModelInfo describe_model(const std::filesystem::path& model);

/// The XML Schema of composite models.
[[nodiscard]] TIELINE_PUBLIC std::string model_schema();
/// The reference of all elements and attributes of composite models, in Markdown.
[[nodiscard]] TIELINE_PUBLIC std::string model_reference();

struct InquiryOptions {
  std::filesystem::path site{};               ///< file that describes tools; empty: looked for
  bool writes = false;                        ///< interfaces that the model does not declare are written to its file
  const std::atomic<bool>* cancel = nullptr;  ///< set it to stop cleanly
  std::function<void(const std::string&)> on_note{};  ///< lines for people; from another thread
};

/// An interface that a program offers, beside what the model declares.
struct OfferedInterface {
  std::string name{};
  std::string declaration{};       ///< <Interface name="..." .../> as a model declares it
  std::vector<double> position{};  ///< at the start, where it has one: x, y, z in space, or one number [position_unit]
  std::string position_unit{};
  bool is_declared = false;  ///< by the model, under this name
  std::string difference{};  ///< from what is declared, in words; empty: none
};

struct InquiryOutcome {
  std::vector<OfferedInterface> interfaces{};
  std::vector<std::string> not_offered{};  ///< that the model declares
  bool can_save = false;                   ///< the program can report its state, so that runs with it can be resumed
  std::size_t written = 0;                 ///< interfaces that were written to the model's file
};

/// Starts the program of a component of kind "process", or awaits it, asks it for its interfaces and lets it go; the
/// deadlines of the model apply. Throws ModelError, std::out_of_range where there is no such program, or RunError where
/// the program does not answer.
[[nodiscard]] TIELINE_PUBLIC InquiryOutcome ask_program(const std::filesystem::path& model,
                                                        const std::string& component,
                                                        const InquiryOptions& options = {});

}  // namespace tieline
