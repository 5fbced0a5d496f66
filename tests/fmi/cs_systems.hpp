#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fmi/cs_system.hpp"
#include "fmi/fmu_reader.hpp"
#include "fmi/test_fmus.hpp"

namespace tieline::fmi {

/// A test FMU with all its signals.
inline FmuSpec read_spec(const std::string& fmu, int version,
                         const std::vector<std::pair<std::string, std::string>>& starts) {
  // FMUs of FMI 1.0 are for one of both ways.
  FmuRequest request{
      .file = folder_of(version == 1 ? fmu + "_cs" : fmu, version), .mode = "co_simulation", .record = "none"};
  for (const auto& [variable, text] : starts) request.starts.push_back({.variable = variable, .text = text});
  document::Diagnostics diagnostics;
  auto spec = read_fmu(request, diagnostics);
  if (!spec) throw std::runtime_error(diagnostics.describe());
  return *spec;
}

inline CsPart part(const std::string& name, const FmuSpec& spec, double step, double stop = 0.0) {
  CsPart made{.spec = spec, .facts = {.name = name, .stop = stop}};
  made.spec.step = step;
  return made;
}

inline std::size_t interface_of(const FmuSpec& spec, const std::string& name) {
  for (std::size_t i = 0; i < spec.interfaces.size(); ++i) {
    if (spec.interfaces[i].shape.name == name) return i;
  }
  throw std::out_of_range(name);
}

inline SignalLink link(const std::vector<CsPart>& parts, std::size_t from, const std::string& output, std::size_t to,
                       const std::string& input) {
  return {from, interface_of(parts[from].spec, output), 0, to, interface_of(parts[to].spec, input), 0};
}

}  // namespace tieline::fmi
