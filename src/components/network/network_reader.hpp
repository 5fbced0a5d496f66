#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "components/network/spec.hpp"
#include "components/reading.hpp"

namespace tieline::components {

/// Reads one network; the parts in an order that lets each refer to the earlier ones, whatever their order in the file.
/// reader.cpp holds mechanics and what all domains share, conductor_reader.cpp the other domains.
class NetworkReader {
 public:
  NetworkReader(const document::Element& content, const document::Scope& scope, document::Diagnostics& diagnostics);

  NetworkSpec read();

 private:
  using Element = document::Element;

  [[nodiscard]] double number(const Element& element, std::string_view attribute, document::NumberRule rule,
                              std::string unit = "");
  [[nodiscard]] std::optional<document::TimeFunction> function(const Element& element, std::string_view attribute);
  [[nodiscard]] std::optional<document::TimeFunction> compile(std::string_view text, const document::Place& place,
                                                              document::Diagnostics& diagnostics);
  /// The node that an attribute names, or -1.
  [[nodiscard]] int node(const Element& element, std::string_view attribute);
  [[nodiscard]] std::string_view domain_name(int node) const;

  void read_nodes();
  void check_node_domain(const Element& element, const NetworkNode& node);
  void read_functions_inputs();
  void read_elements();
  /// False if the XML element is no element of the network.
  bool read_element_numbers(const Element& element, NetworkElement& read);
  bool read_contact(const Element& element, NetworkElement& read);
  /// The ends must be two, of one domain, and of `domain` where the element needs one.
  void check_ends(const Element& element, const NetworkElement& read);
  void read_load(const Element& element);
  void read_motion(const Element& element);
  void check_driven(const Element& element, int node);
  void read_interface(const Element& element);
  void read_reported_node(const Element& element, NetworkInterface& interface);
  void read_output(const Element& element);
  void find_output(const std::string& part, const std::string& quantity, const document::Place& place,
                   NetworkSignalOutput& output);
  void check_determined();

  // Hydraulic, electrical and thermal parts (conductor_reader.cpp).
  bool read_store(const Element& element, NetworkNode& node);
  bool read_source_node(const Element& element, NetworkNode& node);
  void read_sources();
  void doubt_temperature(const Element& element, std::optional<double> kelvin);
  [[nodiscard]] std::optional<double> start_without_inputs(const Element& element, std::string_view attribute) const;
  bool read_conductor(const Element& element, NetworkElement& read);
  void read_orifice(const Element& element, NetworkElement& read);
  void read_servo_valve(const Element& element);
  void read_flow_source(const Element& element, std::string_view quantity, core::Domain domain);
  void read_pump(const Element& element);
  void read_cylinder(const Element& element);
  void read_motor(const Element& element);
  void read_series_capacitor(const Element& element);
  void add_device(NetworkDevice device);
  /// A node of one domain that an attribute names, or -1.
  [[nodiscard]] int node_of(const Element& element, std::string_view attribute, core::Domain domain);
  /// The same where the attribute may be absent: then a ground of its own.
  [[nodiscard]] int node_or_ground(const Element& element, std::string_view attribute, core::Domain domain);
  [[nodiscard]] int heat_target(const Element& element);
  /// A function between 0 and 1: `sign` times what the attribute says, cut off there, plus a leakage.
  [[nodiscard]] std::optional<document::TimeFunction> opening(const Element& element, double sign, double leakage);

  const Element& content_;
  document::Scope scope_;
  document::Diagnostics& diagnostics_;
  PartNames names_;
  NetworkSpec spec_{};
  std::vector<std::string> node_names_, element_names_, device_names_, input_names_;
  std::vector<Element> node_elements_, load_elements_;
  std::vector<std::pair<Element, int>> sources_;  ///< with their nodes
  std::map<std::string, document::Table> tables_;
};

/// What the two files share.
using document::kAnything;
using document::kNotNegative;
inline const document::NumberRule kRequiredNotNegative{.least = 0.0};
inline const document::NumberRule kRequiredPositive{.least = 0.0, .exclusive_least = true};

}  // namespace tieline::components
