// The table of couplings in docs/file-format.md: each combination is tried, and works or is refused as the table says.

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <sstream>

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace coupling_table_test {

/// A component with one interface, at the origin.
struct Side {
  std::string component{}, interface = "end";
};

std::string multibody(const std::string& name, const std::string& content) {
  return fmt::format(
      "<Component name=\"{}\" kind=\"multibody\" solver=\"dopri5\"><Multibody>{}</Multibody></Component>", name,
      content);
}
std::string network(const std::string& name, const std::string& content) {
  return fmt::format("<Component name=\"{}\" kind=\"network\" solver=\"dopri5\"><Network>{}</Network></Component>",
                     name, content);
}

/// What all are tried with.
std::string partner(bool is_in_space, bool takes_motion) {
  if (is_in_space) {
    return multibody("p", takes_motion
                              ? "<Frame name=\"n\"/><Tie name=\"k\" from=\"ground\" to=\"n\" stiffness=\"500, 40\" "
                                "damping=\"20, 2\"/><Interface name=\"end\" frame=\"n\" causality=\"motion\"/>"
                              : "<Body name=\"b\" mass=\"500\" inertia=\"50, 50, 50\"/><Interface name=\"end\" "
                                "frame=\"b\"/>");
  }
  return network("p", takes_motion ? "<Ground name=\"g\"/><Node name=\"n\"/><Spring name=\"k\" from=\"g\" to=\"n\" "
                                     "stiffness=\"100\"/><Damper name=\"d\" from=\"g\" to=\"n\" damping=\"20\"/>"
                                     "<Interface name=\"end\" node=\"n\" causality=\"motion\"/>"
                                   : "<Mass name=\"m\" mass=\"500\"/><Interface name=\"end\" node=\"m\"/>");
}

std::string fmu(const std::string& name, const char* mode, const std::string& content) {
  return fmt::format(
      "<Component name=\"c\" kind=\"fmu\" file=\"{}\" isolate=\"false\"><Fmu mode=\"{}\"/>{}</Component>",
      fmu_file(name, 2).string(), mode, content);
}
std::string program(const std::string& command, const std::string& content) {
  return fmt::format("<Component name=\"c\" kind=\"process\" command=\"'{}/{}'\">{}</Component>", TIELINE_SIMULATORS,
                     command, content);
}

Side structure(bool takes_motion) {
  return {fmt::format(
      "<Component name=\"c\" kind=\"structure\" step=\"1e-4\"><Structure><Material name=\"steel\" "
      "youngs_modulus=\"210e9\" density=\"7800\"/><Section name=\"bar\" radius=\"0.01\"/><Node name=\"root\" "
      "position=\"0, 0, 0\"/><Node name=\"tip\" position=\"0.5, 0, 0\"/><Beam name=\"b\" from=\"root\" to=\"tip\" "
      "section=\"bar\" material=\"steel\" elements=\"2\"/><Damping stiffness=\"1e-4\"/><Load node=\"tip\" force=\"0, "
      "{{sin(50*t)}}, 0\"/><Interface name=\"end\" node=\"root\" {}/></Structure></Component>",
      takes_motion ? "causality=\"motion\"" : "")};
}

/// A side of a kind; nothing where there is no such interface.
std::optional<Side> side_of(const std::string& kind, bool is_in_space, bool takes_motion) {
  if (kind == "network") {
    if (is_in_space) return std::nullopt;
    return Side{takes_motion ? network("c",
                                       "<Ground name=\"g\"/><Node name=\"n\"/><Damper name=\"d\" from=\"g\" "
                                       "to=\"n\" damping=\"20\"/><Interface name=\"end\" node=\"n\" "
                                       "causality=\"motion\"/>")
                             : network("c", "<Mass name=\"m\" mass=\"2\"/><Interface name=\"end\" node=\"m\"/>")};
  }
  if (kind == "multibody" && is_in_space) {
    return Side{multibody("c", takes_motion ? "<Frame name=\"n\"/><Tie name=\"k\" from=\"ground\" to=\"n\" "
                                              "stiffness=\"500, 40\" damping=\"20, 2\"/><Interface name=\"end\" "
                                              "frame=\"n\" causality=\"motion\"/>"
                                            : "<Body name=\"b\" mass=\"2\" inertia=\"0.1, 0.1, 0.1\"/><Interface "
                                              "name=\"end\" frame=\"b\"/>")};
  }
  if (kind == "multibody") {
    return Side{multibody("c", fmt::format("<Body name=\"b\" mass=\"2\" inertia=\"0.1, 0.1, 0.1\"/><Joint name=\"j\" "
                                           "kind=\"prismatic\" from=\"ground\" to=\"b\"/><Interface name=\"end\" "
                                           "joint=\"j\" {}/>",
                                           takes_motion ? "causality=\"motion\"" : ""))};
  }
  if (kind == "structure") return is_in_space ? std::optional(structure(takes_motion)) : std::nullopt;
  if (kind.starts_with("FMU")) {
    const char* const mode = kind == "FMU, co-simulation" ? "co_simulation" : "model_exchange";
    if (is_in_space && takes_motion)
      return Side{fmu("post", mode, "<Interface name=\"end\" domain=\"mechanical3d\"/>")};
    if (is_in_space) {
      return Side{
          fmu("arm", mode,
              start("position[1]", "0.25") + start("gravity", "0") + "<Interface name=\"a\" domain=\"mechanical3d\"/>"),
          "a"};
    }
    if (takes_motion) {
      return Side{fmu("post", mode,
                      "<Interface name=\"axis\" domain=\"translation\"><Map velocity=\"end.velocity[1]\" "
                      "force=\"end.force[1]\"/></Interface>"),
                  "axis"};
    }
    return Side{fmu("mass", mode,
                    start("x", "0") + start("v", "0") +
                        "<Interface name=\"end\" domain=\"translation\"><Map position=\"x\" velocity=\"v\" "
                        "force=\"f\"/></Interface>")};
  }
  if (is_in_space && takes_motion) {
    return Side{program("elastic_post", "<Interface name=\"end\" domain=\"mechanical3d\" causality=\"motion\"/>")};
  }
  if (is_in_space) {
    // Its tip is 1 m along x.
    return Side{program("pendulum_arm",
                        "<Placement position=\"-1, 0, 0\"/><Parameter name=\"mass\" value=\"10\"/>"
                        "<Parameter name=\"length\" value=\"1\"/><Parameter name=\"gravity\" "
                        "value=\"0\"/><Interface name=\"tip\" domain=\"mechanical3d\" position=\"1, 0, "
                        "0\"/>"),
                "tip"};
  }
  if (takes_motion) {
    return Side{program("viscous_end", "<Interface name=\"end\" domain=\"translation\" causality=\"motion\"/>")};
  }
  return Side{program("mass_on_spring", "<Interface name=\"mass\" domain=\"translation\" causality=\"force\"/>"),
              "mass"};
}

std::string coupling_of(const std::string& name, bool is_in_space, bool is_arm) {
  if (name == "sampled") {
    return "coupling=\"sampled\" schedule=\"gauss_seidel\" step=\"5e-4\" extrapolation=\"linear\"";
  }
  if (name == "glue") return fmt::format("coupling=\"glue\"{}", is_arm ? " joint=\"spherical\"" : "");
  if (!is_in_space) return "coupling=\"line\" stiffness=\"1e4\" delay=\"1e-3\"";
  return fmt::format("coupling=\"line\" stiffness=\"1e4\" delay=\"1e-3\" {}",
                     is_arm ? "free_axes=\"rx, ry, rz\"" : "stiffness_rotation=\"1e3\"");
}

/// Empty, or why it is refused.
std::string outcome_of(const std::string& kind, const std::string& coupling, bool is_in_space, bool takes_motion) {
  const auto side = side_of(kind, is_in_space, takes_motion);
  if (!side) return "–";
  // Samples go between force and motion; all others are tried with a side that takes force.
  const bool is_arm = side->interface == "tip";
  const std::string connection = fmt::format("<Connection name=\"j\" from=\"p.end\" to=\"c.{}\" {}/>", side->interface,
                                             coupling_of(coupling, is_in_space, is_arm));
  return complaint_of(composite(partner(is_in_space, coupling == "sampled" && !takes_motion) + side->component,
                                connection, "stop=\"0.01\" tolerance=\"1e-7\"",
                                coupling == "glue" ? "<Gluing step=\"2e-3\" tolerance=\"1e-8\"/>" : ""));
}

struct Row {
  std::string kind{};
  bool takes_motion = false;
  std::vector<std::string> cells{};
};

/// The rows of the table in the page.
std::vector<Row> table() {
  std::ifstream page(TIELINE_SOURCE_DIR "/docs/file-format.md");
  std::vector<Row> rows;
  bool is_inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| component | side that receives |")) is_inside = true;
    if (!is_inside) continue;
    if (!line.starts_with("|")) break;
    std::vector<std::string> cells;
    std::istringstream parts(line.substr(1));
    for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(cell.substr(1, cell.size() - 2));
    if (cells[1] != "force" && cells[1] != "motion") continue;
    rows.push_back({cells[0], cells[1] == "motion", {cells.begin() + 2, cells.end()}});
  }
  return rows;
}

class CouplingTable : public testing::TestWithParam<bool> {};

TEST_P(CouplingTable, IsTrue) {
  const bool is_in_space = GetParam();
  const std::map<std::string, std::string> reasons{
      {"no¹", "the coordinate of a joint takes force; its motion can be prescribed by the joint's drive"},
      {"no²", "takes motion in space, and a line gives force: expected coupling=\"sampled\", coupling=\"glue\""}};
  const std::vector<Row> rows = table();
  ASSERT_EQ(rows.size(), 12U);
  for (const Row& row : rows) {
    std::size_t cell = is_in_space ? 3 : 0;
    for (const char* coupling : {"line", "sampled", "glue"}) {
      const std::string& said = row.cells.at(cell++);
      SCOPED_TRACE(fmt::format("{}, {}, {}", row.kind, row.takes_motion ? "motion" : "force", coupling));
      const std::string outcome = outcome_of(row.kind, coupling, is_in_space, row.takes_motion);
      if (said == "–") {
        EXPECT_EQ(outcome, "–");
      } else if (said == "yes⁴" && outcome.find("cannot save and restore its state") != std::string::npos) {
        // One of the programs cannot.
        EXPECT_TRUE(row.kind == "program" && !row.takes_motion && !is_in_space) << outcome;
      } else if (said.starts_with("yes")) {
        EXPECT_EQ(outcome, "");
      } else {
        EXPECT_NE(outcome.find(reasons.at(said)), std::string::npos) << said << ": " << outcome;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Space, CouplingTable, testing::Bool());

TEST(CouplingTable, SidesThatBothTakeForceOrMotionAreJoinedAsThePageSays) {
  const auto outcome = [](bool is_in_space, bool takes_motion, const char* coupling) {
    std::string first = partner(is_in_space, takes_motion);
    first.replace(first.find("\"p\""), 3, "\"c\"");
    return complaint_of(composite(first + partner(is_in_space, takes_motion),
                                  fmt::format("<Connection name=\"j\" from=\"p.end\" to=\"c.end\" {}/>",
                                              coupling_of(coupling, is_in_space, false)),
                                  "stop=\"0.01\" tolerance=\"1e-7\"",
                                  std::string(coupling) == "glue" ? "<Gluing step=\"2e-3\"/>" : ""));
  };
  for (const bool is_in_space : {false, true}) {
    for (const char* coupling : {"line", "glue"}) EXPECT_EQ(outcome(is_in_space, false, coupling), "") << coupling;
    EXPECT_NE(outcome(is_in_space, false, "sampled").find("a sampled coupling needs a side that takes motion"),
              std::string::npos);
    EXPECT_EQ(outcome(is_in_space, true, "glue"), "") << is_in_space;
  }
  EXPECT_EQ(outcome(false, true, "line"), "");
  EXPECT_NE(outcome(true, true, "line").find("takes motion in space, and a line gives force"), std::string::npos);
  EXPECT_NE(outcome(true, true, "sampled").find("both take motion in space, and none of them determines one"),
            std::string::npos);
}

}  // namespace coupling_table_test
}  // namespace tieline::support
