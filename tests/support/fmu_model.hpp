#pragma once

#include <filesystem>
#include <fmt/format.h>
#include <string>

#include "support/model_run.hpp"

// Models with FMUs of the tests in them.

namespace tieline::support {

/// A packed FMU: "mass", 3. Those of FMI 1.0 are for model exchange.
inline std::filesystem::path fmu_file(const std::string& name, int version) {
  return std::filesystem::path(TIELINE_TEST_FMUS) / fmt::format("{}_fmi{}.fmu", name, version);
}
/// The same for co-simulation.
inline std::filesystem::path cs_fmu_file(const std::string& name, int version) {
  return fmu_file(version == 1 ? name + "_cs" : name, version);
}

/// A component that is run by model exchange.
inline std::string fmu_component(const std::string& name, const std::filesystem::path& file, const std::string& content,
                                 const std::string& attributes = "") {
  return fmt::format(
      "<Component name=\"{}\" kind=\"fmu\" file=\"{}\" {}><Fmu mode=\"model_exchange\"/>{}</Component>\n", name,
      file.string(), attributes, content);
}

inline std::string start(const std::string& variable, const std::string& value) {
  return fmt::format("<Start variable=\"{}\" value=\"{}\"/>", variable, value);
}

inline std::string network_component(const std::string& name, const std::string& content) {
  return fmt::format("<Component name=\"{}\" kind=\"network\"><Network>{}</Network></Component>\n", name, content);
}

inline std::string composite(const std::string& components, const std::string& connections,
                             const std::string& simulation, const std::string& more = "") {
  return fmt::format(
      "<CompositeModel name=\"case\"><Components>\n{}</Components>\n<Connections>{}</Connections>\n{}<Simulation {}/>"
      "</CompositeModel>\n",
      components, connections, more, simulation);
}

inline std::string line_between(const std::string& from, const std::string& to) {
  return fmt::format(
      "<Connection name=\"rod\" from=\"{}\" to=\"{}\" coupling=\"line\" stiffness=\"1e6\" delay=\"1e-4\"/>", from, to);
}

/// What loading or running a model complains of; empty: nothing.
inline std::string complaint_of(const std::string& text) {
  const ModelFiles files(text);
  try {
    run_model(files.path());
  } catch (const std::exception& problem) {
    return problem.what();
  }
  return "";
}

/// Largest difference of two variables that are recorded at the same times.
inline double largest_difference(const RunRecord& a, const std::string& variable, const RunRecord& b,
                                 const std::string& there) {
  if (a.times(variable) != b.times(there)) throw std::runtime_error(variable + " is recorded at other times");
  double largest = 0.0;
  for (std::size_t i = 0; i < a.values(variable).size(); ++i) {
    largest = std::max(largest, std::abs(a.values(variable)[i] - b.values(there)[i]));
  }
  return largest;
}

}  // namespace tieline::support
