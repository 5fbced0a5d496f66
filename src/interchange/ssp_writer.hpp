#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "document/diagnostics.hpp"
#include "interchange/ssp_routes.hpp"
#include "interchange/ssp_structure.hpp"
#include "interchange/xml_writer.hpp"

namespace tieline::interchange::ssp {

/// Writes a structure and its routes as a <CompositeModel>. Plans first what each nested model needs (interfaces,
/// connections, blocks), then writes.
class ModelWriter {
 public:
  ModelWriter(const Structure& structure, const Routes& routes, document::Diagnostics& diagnostics)
      : structure_(structure), routes_(routes), diagnostics_(diagnostics) {}

  /// `start`, `stop` [s]: of the run.
  void write(double start, double stop);
  [[nodiscard]] const XmlWriter& writer() const { return writer_; }

 private:
  struct Connected {
    std::string from{}, to{};
    double scale = 1.0, offset = 0.0;
    bool has_units = false;  ///< both ends state different ones, which the scale counts in already
    document::Place place{};
  };
  /// A component of blocks that transforms a signal.
  struct Converter {
    std::string name{};
    const Transformation* transformation = nullptr;
    std::size_t size = 1;
    document::Place place{};
  };
  /// What a nested model, or the whole one, has beside its elements.
  struct Level {
    std::vector<Connected> connections{};
    std::vector<Converter> converters{};
    std::vector<std::pair<std::string, std::string>> interfaces{};  ///< name, and what it is
    std::map<std::string, std::string> interface_of{};              ///< name, by what it is
    std::set<std::string> component_names{}, interface_names{};
  };

  void plan(const Route& route);
  void connect(const System& level, const Route& route, const std::string& from, const std::string& to);
  [[nodiscard]] std::string own_interface(const Part& part, const std::string& variable, const document::Place& place);
  /// The name of a variable within a system that contains the part, at any depth.
  [[nodiscard]] std::string reference(const System& level, const Part& part, const std::string& variable,
                                      const Route& route);
  [[nodiscard]] std::string exported(const System& system, const std::string& what, const std::string& wish);
  [[nodiscard]] std::string converter(const System& level, const Route& route);
  [[nodiscard]] Level& level_of(const System& system);

  void write_system(const Part& part);
  void write_part(const Part& part);
  void write_fmu(const Part& part);
  void write_position(const document::Element& declaration);
  void write_description(const document::Element& declaration);
  void write_converter(const Converter& converter);
  void write_properties();
  void attribute(std::string_view name, std::string_view value, const document::Place& place);
  void number(std::string_view name, double value, const document::Place& place);

  const Structure& structure_;
  const Routes& routes_;
  document::Diagnostics& diagnostics_;
  XmlWriter writer_{};
  std::unordered_map<const System*, Level> levels_;
  /// Interfaces of FMUs for variables that are no outputs: name by variable.
  std::unordered_map<const Part*, std::map<std::string, std::string>> declared_;
};

}  // namespace tieline::interchange::ssp
