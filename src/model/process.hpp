#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/grammar.hpp"
#include "document/xml.hpp"

/// The settings of a model for the processes that take part in a run.
namespace tieline::model {

/// The kind of a component that is a program of its own.
inline constexpr std::string_view kProcessKind = "process";

/// How two processes exchange what crosses the connections between them.
enum class Transport {
  automatic,      ///< transport="auto": shared memory on one host, otherwise TCP
  shared_memory,  ///< transport="shared_memory"
  tcp,            ///< transport="tcp"
};

/// Which way it goes.
enum class Routing {
  direct,  ///< routing="direct": from one participant to the other
  master,  ///< routing="master": through the process that reads the model
};

[[nodiscard]] std::array<std::string_view, 3> all_transport_names();
[[nodiscard]] std::string_view name_of(Transport transport);
[[nodiscard]] std::optional<Transport> transport_from_name(std::string_view name);
[[nodiscard]] std::array<std::string_view, 2> all_routing_names();
[[nodiscard]] std::string_view name_of(Routing routing);
[[nodiscard]] std::optional<Routing> routing_from_name(std::string_view name);

/// <Environment>: a variable that a program gets. Words in braces are not replaced yet (`kinds::launch_plan` does).
struct EnvironmentVariable {
  std::string name{};
  std::string value{};
  document::Element declaration{};
};

/// What a component of any kind may state of the process that computes it.
struct OwnProcess {
  std::optional<Transport> transport{};
  std::optional<double> start_deadline{};  ///< [s]
  double cores = 1.0;                      ///< that it needs
  double memory = 0.0;                     ///< that it needs [bytes]; 0: not known
};

/// <Processes>: what holds for all processes of a run.
struct ProcessSettings {
  Routing routing = Routing::direct;
  Transport transport = Transport::automatic;
  double start_deadline = 60.0;    ///< from the start of a program until it has joined [s]
  double silence_deadline = 10.0;  ///< without a sign of life [s]
  double stall_deadline = 600.0;   ///< alive, but without progress that others wait for [s]
  double shutdown_deadline = 5.0;  ///< from being asked to stop until it is killed [s]
  document::Element declaration{};
};

/// The rule of <Environment>, in components and in tools of a site file.
[[nodiscard]] document::ElementRule environment_rule();

/// The <Environment> elements in an element: names that are wrong or stand twice are reported.
[[nodiscard]] std::vector<EnvironmentVariable> read_environment(const document::Element& element,
                                                                document::Diagnostics& diagnostics);

}  // namespace tieline::model
