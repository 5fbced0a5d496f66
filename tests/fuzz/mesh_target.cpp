#include "components/multibody/mesh.hpp"
#include "fuzz/targets.hpp"

namespace tieline::fuzz {

void read_mesh(std::string_view input) {
  for (const auto format : {components::MeshFormat::stl, components::MeshFormat::obj}) {
    std::string problem;
    auto mesh = components::parse_mesh(input, format, problem);
    // It is read, or a reason is reported.
    if (mesh.has_value() != problem.empty()) __builtin_trap();
    if (!mesh || !components::surface_defect(*mesh).empty()) continue;
    if (components::volume_of(*mesh) < 0.0) components::turn_inside_out(*mesh);
    if (!(components::solid_of(*mesh, 1.0).mass > 0.0)) __builtin_trap();
  }
}

}  // namespace tieline::fuzz
