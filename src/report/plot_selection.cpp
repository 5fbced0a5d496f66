#include "report/plot_selection.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "core/name_list.hpp"
#include "core/nearest_name.hpp"
#include "results/glob.hpp"

namespace tieline::report {
namespace {

bool has_name(std::span<const Run> runs, const std::string& name) {
  return std::any_of(runs.begin(), runs.end(), [&](const Run& run) { return run.reader->find(name).has_value(); });
}

bool is_pattern(const std::string& text) { return text.find_first_of("*?") != std::string::npos; }

/// Parts of "a+b". A name that has this character, as FMUs may, is left whole where it stands alone, or in quotes.
std::vector<std::string> parts_of(std::span<const Run> runs, const std::string& text) {
  if (has_name(runs, text)) return {text};
  std::vector<std::string> parts;
  std::string_view rest = text;
  for (std::size_t at = 0; (at = core::find_unquoted(rest, '+')) != std::string::npos; rest.remove_prefix(at + 1))
    parts.emplace_back(rest.substr(0, at));
  parts.emplace_back(rest);
  return parts;
}

std::string nearest_in(const Run& run, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& variable : run.reader->variables()) known.push_back(variable.name);
  const std::string nearest = core::nearest_name(name, known);
  return nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
}

/// What was asked for by one pattern, or by one side of "name=other".
struct Wanted {
  std::string text{};
  std::vector<std::size_t> variables{};  ///< places in the list
};

/// Gathers variables and what is missing.
class Selection {
 public:
  explicit Selection(std::span<const Run> runs, bool allows_missing = false)
      : runs_(runs), allows_missing_(allows_missing) {}

  void add(const std::string& text, int group) {
    const auto equals = core::find_unquoted(text, '=');
    if (has_name(runs_, text)) return add_pattern(text, group);
    if (equals == std::string::npos) return add_pattern(core::unquoted(text), group);
    add_pair(core::unquoted(text.substr(0, equals)), core::unquoted(text.substr(equals + 1)), group);
  }

  core::Result<std::vector<PlottedVariable>> finish() && {
    for (const Wanted& wanted : wanted_) {
      if (wanted.variables.empty()) {
        note_missing(0, wanted.text);
      } else if (!is_pattern(wanted.text) && !allows_missing_) {
        for (std::size_t run = 0; run < runs_.size(); ++run) {
          if (!has(run, wanted) && !has_alternative(run, wanted)) note_missing(run, wanted.text);
        }
      }
    }
    for (std::size_t run = 0; run < runs_.size() && missing_.empty() && !allows_missing_; ++run) {
      if (is_without(run)) {
        for (const Wanted& wanted : wanted_) note_missing(run, wanted.text);
      }
    }
    if (missing_.empty()) return std::move(variables_);
    const bool has_two = runs_.size() > 1;
    return core::bad_input(
        fmt::format("{}{}", fmt::join(missing_, "; "),
                    has_two ? "; name=other plots a variable that has another name in the other run" : ""));
  }

 private:
  void add_pattern(const std::string& text, int group) {
    Wanted wanted{.text = text};
    for (const Run& run : runs_) {
      for (const auto& variable : run.reader->variables()) {
        if (!results::matches(text, variable.name) || !seen_.insert(variable.name).second) {
          continue;
        }
        wanted.variables.push_back(variables_.size());
        PlottedVariable plotted{.name = variable.name, .unit = variable.unit, .group = group};
        for (const Run& other : runs_) {
          plotted.in_runs.push_back(other.reader->find(variable.name) ? variable.name : "");
        }
        variables_.push_back(std::move(plotted));
      }
    }
    // A pattern whose variables others have brought already is no mistake.
    if (wanted.variables.empty()) {
      for (std::size_t i = 0; i < variables_.size(); ++i) {
        if (results::matches(text, variables_[i].name)) wanted.variables.push_back(i);
      }
    }
    wanted_.push_back(std::move(wanted));
  }

  void add_pair(const std::string& name, const std::string& other, int group) {
    PlottedVariable plotted{.name = name, .group = group};
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      const std::string& own = run == 0 ? name : other;
      const auto found = runs_[run].reader->find(own);
      if (!found) note_missing(run, own);
      if (found && run == 0) plotted.unit = found->unit;
      plotted.in_runs.push_back(found ? own : "");
    }
    if (runs_.size() < 2) missing_.push_back(fmt::format("'{}={}' needs a second run", name, other));
    wanted_.push_back({.text = name, .variables = {variables_.size()}});
    variables_.push_back(std::move(plotted));
  }

  [[nodiscard]] bool has(std::size_t run, const Wanted& wanted) const {
    return std::any_of(wanted.variables.begin(), wanted.variables.end(),
                       [&](std::size_t i) { return !variables_[i].in_runs[run].empty(); });
  }

  /// Whether the run has something of the same unit that runs with this variable lack: models that name things
  /// differently.
  [[nodiscard]] bool has_alternative(std::size_t run, const Wanted& wanted) const {
    const PlottedVariable& lacking = variables_[wanted.variables.front()];
    return std::any_of(variables_.begin(), variables_.end(), [&](const PlottedVariable& other) {
      if (other.in_runs[run].empty() || other.unit != lacking.unit) return false;
      for (std::size_t r = 0; r < runs_.size(); ++r) {
        if (!lacking.in_runs[r].empty() && other.in_runs[r].empty()) return true;
      }
      return false;
    });
  }

  [[nodiscard]] bool is_without(std::size_t run) const {
    return std::all_of(variables_.begin(), variables_.end(),
                       [&](const PlottedVariable& variable) { return variable.in_runs[run].empty(); });
  }

  void note_missing(std::size_t run, const std::string& name) {
    const std::string whose =
        runs_.size() > 1 ? fmt::format("'{}' has no variable", runs_[run].label) : std::string("there is no variable");
    std::string text = fmt::format("{} '{}'{}", whose, name, nearest_in(runs_[run], name));
    if (std::find(missing_.begin(), missing_.end(), text) == missing_.end()) missing_.push_back(std::move(text));
  }

  std::span<const Run> runs_;
  bool allows_missing_;
  std::vector<PlottedVariable> variables_{};
  std::vector<Wanted> wanted_{};
  std::set<std::string> seen_{};
  std::vector<std::string> missing_{};
};

}  // namespace

core::Result<std::vector<PlottedVariable>> select_variables(std::span<const Run> runs,
                                                            std::span<const std::string> patterns,
                                                            bool allows_missing) {
  Selection selection(runs, allows_missing);
  int groups = 0;
  for (const std::string& text : patterns) {
    const auto parts = parts_of(runs, text);
    const int group = parts.size() > 1 ? groups++ : -1;
    for (const std::string& part : parts) selection.add(part, group);
  }
  return std::move(selection).finish();
}

core::Result<PlottedVariable> select_variable(std::span<const Run> runs, const std::string& name) {
  if (is_pattern(name)) return core::bad_input(fmt::format("'{}' must name one variable, without patterns", name));
  Selection selection(runs);
  selection.add(name, -1);
  auto selected = std::move(selection).finish();
  if (!selected) return selected.error();
  return std::move(selected->front());
}

}  // namespace tieline::report
