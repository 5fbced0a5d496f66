#pragma once

#include <filesystem>
#include <string>

#include "tieline/simulation.hpp"

#include "support/two_masses.hpp"
#include "support/work_folder.hpp"

namespace tieline::api {

using support::example;
using support::text_of;

/// A folder with a model of two masses on a line.
class PairFolder : public support::WorkFolder {
 public:
  explicit PairFolder(const std::string& mass = "{m}") {
    write("pair.xml",
          support::TwoMasses{.head = R"(  <Description>Two masses on a rod.</Description>
  <Parameters>
    <Parameter name="m" value="2" unit="kg" description="of the left body"/>
    <Parameter name="k" value="1e6" unit="N/m"/>
  </Parameters>
)",
                             .left_parts = "        <Mass name=\"body\" mass=\"" + mass + "\" velocity=\"1\"/>\n",
                             .right_parts = "        <Mass name=\"body\" mass=\"1\"/>\n",
                             .stiffness = "{k}"}
              .text());
  }

  [[nodiscard]] std::filesystem::path model() const { return path("pair.xml"); }

  /// Runs the model into a folder; returns that.
  std::filesystem::path run(const std::string& name, double m = 2.0) const {  // m [kg]
    auto simulation = Simulation::load(model());
    simulation.set("m", m);
    simulation.record_to(path(name));
    simulation.advance_to(simulation.stop_time());
    simulation.finish();
    return path(name);
  }
};

/// What a call throws, as text; empty if it does not throw this.
template <class Exception, class Call>
std::string thrown(Call&& call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace tieline::api
