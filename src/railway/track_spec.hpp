#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "components/interface_info.hpp"

namespace tieline::railway {

/// A rail: a beam of Euler and Bernoulli in both planes that twists.
struct RailBeam {
  double youngs_modulus = 2.059e11;    ///< [Pa]
  double shear_modulus = 7.92e10;      ///< [Pa]
  double vertical_inertia = 3.217e-5;  ///< second moment of area for vertical bending [m^4]
  double lateral_inertia = 5.24e-6;    ///< [m^4]
  double torsion_constant = 2.151e-6;  ///< [m^4]
  double mass = 60.64;                 ///< per length [kg/m]
  double density = 7850.0;             ///< for the inertia of its twist [kg/m^3]
  double head = 0.095;                 ///< height of its top above its axis [m]
  double foot = 0.081;                 ///< depth of its foot below its axis [m]
};

/// What holds a rail at a point.
struct Fastener {
  double pitch = 0.625;              ///< [m]
  double vertical_stiffness = 50e6;  ///< [N/m]
  double vertical_damping = 7.5e4;   ///< [N s/m]
  double lateral_stiffness = 30e6;   ///< [N/m]
  double lateral_damping = 7.5e4;    ///< [N s/m]
  double half_base = 0.075;          ///< lever at which its vertical stiffness resists twist [m]
};

/// A thin plate of concrete on a layer.
struct SlabPlate {
  double length = 4.93, width = 2.4, height = 0.19;  ///< [m]
  double youngs_modulus = 3.6e10;                    ///< [Pa]
  double density = 2500.0;                           ///< [kg/m^3]
  double poissons_ratio = 0.2;
  double layer_stiffness = 2.5e9;  ///< of the layer below it, per area [N/m^3]
  double layer_damping = 3e4;      ///< [N s/m^3]

  [[nodiscard]] double mass() const { return density * length * width * height; }
};

struct TrackWheel {
  std::string name{};
  bool is_left = true;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< at the start, in axes that travel with the train [m]
  double load = 0.0;                                   ///< downwards, under which the track rests at the start [N]
};

/// A slab track under a train: two rails on fasteners, on slabs, on concrete bases, on the ground. [Zhai2009]
struct TrackSpec {
  RailBeam rail{};
  Fastener fastener{};
  SlabPlate slab{}, base{.width = 3.2, .height = 0.3, .layer_stiffness = 1.9e8, .layer_damping = 1e5};
  int fasteners_per_slab = 8;
  int slabs = 14;  ///< in the window
  int rail_modes = 0;
  int length_functions = 6, width_functions = 3;  ///< of a plate
  double half_gauge = 0.7465;                     ///< from the middle of the track to a rail's axis [m]
  double lateral_ratio = 0.4;                     ///< of a layer's lateral stiffness to its vertical one
  double speed = 0.0;                             ///< of the train [m/s]
  double origin = 0.0;                            ///< of the train's axes in the window at the start [m]
  bool is_rigid_below = false;                    ///< fasteners stand on the ground
  std::vector<TrackWheel> wheels{};

  [[nodiscard]] double slab_pitch() const { return fasteners_per_slab * fastener.pitch; }
  [[nodiscard]] double length() const { return slabs * slab_pitch(); }
  [[nodiscard]] int fasteners() const { return slabs * fasteners_per_slab; }
};

[[nodiscard]] std::vector<components::InterfaceInfo> interfaces_of(const TrackSpec& spec);

}  // namespace tieline::railway
