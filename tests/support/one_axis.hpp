#pragma once

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "support/model_run.hpp"

namespace tieline::support {

/// Two masses on springs, the second of which takes the motion of the first one's end: on one axis, or posed in space.
inline std::string one_axis(bool is_in_space, const std::string& coupling, const std::string& more = "") {
  const std::string a =
      is_in_space ? "<Component name=\"a\" kind=\"multibody\" {0}><Multibody><Body name=\"m\" mass=\"1\" inertia=\"1, "
                    "1, 1\" velocity=\"1, 0, 0\"/><Tie name=\"k\" from=\"ground\" to=\"m\" stiffness=\"100, 0, 0, 0, "
                    "0, 0\"/><Interface name=\"end\" frame=\"m\"/></Multibody></Component>"
                  : "<Component name=\"a\" kind=\"network\" {0}><Network><Ground name=\"g\"/><Mass name=\"m\" "
                    "mass=\"1\" velocity=\"1\"/><Spring name=\"k\" from=\"g\" to=\"m\" stiffness=\"100\"/><Interface "
                    "name=\"end\" node=\"m\"/></Network></Component>";
  const std::string b =
      is_in_space ? "<Component name=\"b\" kind=\"multibody\" {0}><Multibody><Frame name=\"n\"/><Body name=\"m\" "
                    "mass=\"0.5\" inertia=\"1, 1, 1\"/><Tie name=\"k\" from=\"n\" to=\"m\" stiffness=\"50, 0, 0, 0, 0, "
                    "0\" damping=\"0.5, 0, 0, 0, 0, 0\"/><Interface name=\"end\" frame=\"n\" "
                    "causality=\"motion\"/></Multibody></Component>"
                  : "<Component name=\"b\" kind=\"network\" {0}><Network><Node name=\"n\"/><Mass name=\"m\" "
                    "mass=\"0.5\"/><Spring name=\"k\" from=\"n\" to=\"m\" stiffness=\"50\"/><Damper name=\"d\" "
                    "from=\"n\" to=\"m\" damping=\"0.5\"/><Interface name=\"end\" node=\"n\" "
                    "causality=\"motion\"/></Network></Component>";
  return fmt::format(
      "<CompositeModel name=\"one\"><Components>{}</Components><Connections><Connection name=\"joint\" from=\"a.end\" "
      "to=\"b.end\" {}/></Connections>{}<Simulation stop=\"0.5\" write_interval=\"0.02\"/></CompositeModel>",
      fmt::format(fmt::runtime(a + b), "solver=\"rk4\" step=\"1e-3\""), coupling, more);
}

/// Largest difference between the two.
inline double off_axis(const RunRecord& axis, const RunRecord& space) {
  double worst = 0.0;
  for (const auto& [there, here] :
       {std::pair{"a.m.position", "a.m.position.x"}, std::pair{"b.m.position", "b.m.position.x"},
        std::pair{"b.end.force", "b.end.force.x"},
        std::pair{"connections.joint.energy_residual", "connections.joint.energy_residual"}}) {
    const auto &a = axis.values(there), &s = space.values(here);
    EXPECT_EQ(a.size(), s.size());
    for (std::size_t i = 0; i < std::min(a.size(), s.size()); ++i) worst = std::max(worst, std::abs(a[i] - s[i]));
  }
  return worst;
}

}  // namespace tieline::support
