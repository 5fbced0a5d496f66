#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tieline/simulation.hpp"

#include "support/temporary_folder.hpp"

namespace tieline::api {

inline std::filesystem::path example(const std::string& name) {
  return std::filesystem::path(TIELINE_SOURCE_DIR) / "examples" / name;
}

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A folder with a model of two masses on a line.
class PairFolder {
 public:
  explicit PairFolder(const std::string& mass = "{m}") {
    write("pair.xml", R"(<CompositeModel name="pair">
  <Description>Two masses on a rod.</Description>
  <Parameters>
    <Parameter name="m" value="2" unit="kg" description="of the left body"/>
    <Parameter name="k" value="1e6" unit="N/m"/>
  </Parameters>
  <Components>
    <Component name="left" kind="network">
      <Network>
        <Mass name="body" mass=")" +
                          mass + R"(" velocity="1"/>
        <Interface name="end" node="body"/>
      </Network>
    </Component>
    <Component name="right" kind="network">
      <Network>
        <Mass name="body" mass="1"/>
        <Interface name="end" node="body"/>
      </Network>
    </Component>
  </Components>
  <Connections>
    <Connection name="rod" from="left.end" to="right.end" coupling="line" stiffness="{k}" delay="1e-4"/>
  </Connections>
  <Simulation start="0" stop="0.02" write_interval="1e-4"/>
</CompositeModel>
)");
  }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] std::filesystem::path model() const { return path("pair.xml"); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  /// Runs the model into a folder; returns that.
  std::filesystem::path run(const std::string& name, double m = 2.0) const {  // m [kg]
    auto simulation = Simulation::load(model());
    simulation.set("m", m);
    simulation.record_to(path(name));
    simulation.advance_to(simulation.stop_time());
    simulation.finish();
    return path(name);
  }

 private:
  support::TemporaryFolder folder_;
};

/// What a call throws, as text; empty where it does not throw this.
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
