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

/// Checks and descriptions of models, without a run. Functions throw ModelError, with every problem, if a model cannot
/// be used.
namespace tieline {

/// The setting that selects how a single FMU is run: "model_exchange" or "co_simulation".
inline constexpr std::string_view kFmuModeSetting = "Fmu.mode";

struct CheckOptions {
  std::vector<Setting> settings{};
  std::filesystem::path site{};  ///< file that describes tools; empty: searched for
};

/// How the program of a component would join a run.
struct Launch {
  std::string component{};
  std::string command{};           ///< on one line, quoted; empty: the run waits for a program that the user starts
  std::filesystem::path folder{};  ///< working folder

  [[nodiscard]] bool is_awaited() const { return command.empty(); }
};

/// The result of a check.
struct CheckReport {
  std::vector<Problem> problems{};             ///< sorted by place, notes last
  std::vector<std::filesystem::path> files{};  ///< that a run would read; empty if the model cannot be read at all
  std::vector<Launch> launches{};              ///< of components that are programs
  std::size_t errors = 0;                      ///< how many of the problems
  std::size_t warnings = 0;                    ///< how many of the problems
};

/// Reads a composite model or an FMU with everything it refers to, builds it without running it, and lists every
/// problem. Does not throw if the model is wrong.
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
  std::string causality{};  ///< the input, "force" or "motion"; for signals "input" or "output"
  int size = 1;             ///< length of a signal, or number of points
};

struct ComponentInfo {
  std::string name{};
  std::string kind{};
  std::string solver{};  ///< "auto" if the model states none
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

/// The contents of a composite model.
struct ModelInfo {
  std::string name{};
  std::string description{};
  std::vector<ParameterInfo> parameters{};
  std::vector<ComponentInfo> components{};
  std::vector<ConnectionInfo> connections{};
  std::vector<std::filesystem::path> files{};  ///< that a run would read
  double start = 0.0;                          ///< [s]
  double stop = 0.0;                           ///< [s]
  std::vector<Problem> problems{};             ///< those found while reading
  std::size_t errors = 0;                      ///< how many of the problems
};

/// Describes a model, even one with errors. Throws ModelError if it cannot be read at all.
[[nodiscard]] TIELINE_PUBLIC ModelInfo describe_model(const std::filesystem::path& model);

/// The XML Schema of composite models.
[[nodiscard]] TIELINE_PUBLIC std::string model_schema();
/// The reference of all elements and attributes of composite models, in Markdown.
[[nodiscard]] TIELINE_PUBLIC std::string model_reference();

struct InquiryOptions {
  std::filesystem::path site{};                       ///< file that describes tools; empty: searched for
  bool writes = false;                                ///< adds interfaces that the model does not declare to its file
  const std::atomic<bool>* cancel = nullptr;          ///< set it to stop cleanly
  std::function<void(const std::string&)> on_note{};  ///< receives lines of text, on another thread
};

/// An interface that a program offers, compared with the declaration in the model.
struct OfferedInterface {
  std::string name{};
  std::string declaration{};       ///< <Interface name="..." .../> as a model declares it
  std::vector<double> position{};  ///< at the start: x, y, z in space, or one number [position_unit]; empty: none
  std::string position_unit{};
  bool is_declared = false;  ///< the model declares an interface of this name
  std::string difference{};  ///< from the declaration, in words; empty: none
};

struct InquiryOutcome {
  std::vector<OfferedInterface> interfaces{};
  std::vector<std::string> not_offered{};  ///< declared by the model, but not offered
  bool can_save = false;                   ///< the program can save its state, so that runs with it can be resumed
  std::size_t written = 0;                 ///< interfaces that were written to the model's file
};

/// Starts the program of a component of kind "process", or waits for it, asks it for its interfaces and releases it.
/// The deadlines of the model apply. Throws ModelError, std::out_of_range if there is no such program, or RunError if
/// the program does not answer.
[[nodiscard]] TIELINE_PUBLIC InquiryOutcome ask_program(const std::filesystem::path& model,
                                                        const std::string& component,
                                                        const InquiryOptions& options = {});

}  // namespace tieline
