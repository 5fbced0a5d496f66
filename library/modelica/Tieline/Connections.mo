within Tieline;
package Connections "Connections, a class for each coupling and domain"

  partial model BaseConnection "What all connections have"
    annotation(__Tieline(role="connection"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Text(extent={{-100,60},{100,24}}, textString="%name")}));
  end BaseConnection;

  partial model BaseLine "A transmission line: an elastic bar with a travel time"
    extends BaseConnection;
    parameter Real delay(unit="s") "Travel time from one end to the other [s]; positive for a line. Default: 0 for a signal.";
    parameter Real stiffness "Static stiffness of a line [N/m] or [N m/rad].";
    parameter Real impedance "Impedance of a line [N s/m] or [N m s/rad]; hydraulic [Pa s/m^3], electrical [ohm], thermal [K/W].";
    parameter Real youngs_modulus(unit="Pa") "Young's modulus of the material of a line [Pa].";
    parameter Real area(unit="m2") "Cross-section area of a line [m^2].";
    parameter Real length(unit="m") "Length of a line, or edge of a cube [m].";
    parameter Real sound_speed(unit="m/s") "Speed of sound in the material [m/s]; the delay is length / sound_speed.";
    parameter Real damping "Filter on the waves of a line, at least 0 and below 1. Default: 0.";
    annotation(__Tieline(coupling="line"));
  end BaseLine;

  partial model BaseSampled "Values are exchanged at the steps of the components"
    extends BaseConnection;
    parameter String extrapolation = "" "Extrapolation of sampled data beyond the last sample. Default: hermite."
      annotation(choices(choice="hold", choice="linear", choice="hermite"));
    parameter String schedule = "" "Order of the steps in a sampled coupling. Default: furthest_behind."
      annotation(choices(choice="furthest_behind", choice="jacobi", choice="gauss_seidel"));
    parameter Real step(unit="s") "Macro step of 'jacobi' and 'gauss_seidel' [s].";
    parameter String first = "" "With 'gauss_seidel': end whose component steps first. The other component then uses its new values. Default: from, unless other connections lead from 'to' to 'from'."
      annotation(choices(choice="from", choice="to"));
    annotation(__Tieline(coupling="sampled"));
  end BaseSampled;

  partial model BaseGlue "Interface forces are iterated until both sides move together"
    extends BaseConnection;
    parameter String leads = "" "Leading side, at least one side of which takes motion: its component is computed first in each trial. Default: none; with aitken the side that takes motion."
      annotation(choices(choice="from", choice="to"));
    annotation(__Tieline(coupling="glue"));
  end BaseGlue;

  package Lines "Transmission lines of all domains"

    model Translation "Transmission line, domain translation"
      extends BaseLine;
      parameter Real initial_force "Force in a line at the start [N] or [N m], on the component at the 'to' end; includes the force of the damping if the ends move. Default: 0.";
      Interfaces.Translation from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Translation to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={0,127,0}, thickness=1)}));
    end Translation;

    model Rotation "Transmission line, domain rotation"
      extends BaseLine;
      parameter Real initial_force "Force in a line at the start [N] or [N m], on the component at the 'to' end; includes the force of the damping if the ends move. Default: 0.";
      Interfaces.Rotation from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Rotation to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={95,95,95}, thickness=1)}));
    end Rotation;

    model Space "Transmission line, domain mechanical3d"
      extends BaseLine;
      parameter Real stiffness_rotation(unit="N.m/rad") "Static stiffness of a line in space against rotation [N m/rad].";
      parameter Real impedance_rotation(unit="N.m.s/rad") "Impedance of a line in space against rotation [N m s/rad].";
      parameter Real damping_rotation "Filter on the torque waves of a line in space. Default: value of 'damping'.";
      parameter String initial_force = "" "Force in a line at the start: x, y, z in the axes of the 'from' interface [N], on the component at the 'to' end. Default: 0, 0, 0.";
      parameter String initial_torque = "" "Torque in a line at the start, likewise [N m]. Default: 0, 0, 0.";
      parameter String from_position = "" "x, y, z of the line's end in the frame of the 'from' interface [m]. Default: 0, 0, 0.";
      parameter String from_angles = "" "Angles of the line's end there [rad]. Default: 0, 0, 0.";
      parameter String to_position = "" "x, y, z of the line's end in the frame of the 'to' interface [m]. Default: 0, 0, 0.";
      parameter String to_angles = "" "Angles of the line's end there [rad]. Default: 0, 0, 0.";
      parameter String free_axes = "" "Free rotations of a line in space about axes of the 'from' interface: 'rx', 'ry', 'rz', separated by commas.";
      Interfaces.Space from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Space to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={120,60,20}, thickness=1)}));
    end Space;

    model Hydraulic "Transmission line, domain hydraulic"
      extends BaseLine;
      parameter Real bulk_modulus(unit="Pa") "Bulk modulus of the fluid in a hydraulic line [Pa].";
      parameter Real density(unit="kg/m3") "Density of the fluid in a hydraulic line [kg/m^3].";
      parameter Real initial_flow "Flow through a hydraulic, electrical or thermal line at the start [m^3/s], [A] or [W], from 'from' to 'to'. Default: 0.";
      Interfaces.Hydraulic from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Hydraulic to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={0,90,200}, thickness=1)}));
    end Hydraulic;

    model Electrical "Transmission line, domain electrical"
      extends BaseLine;
      parameter Real inductance(unit="H/m") "Inductance of an electrical line per length [H/m].";
      parameter Real capacitance(unit="F/m") "Capacitance of an electrical line per length [F/m].";
      parameter Real initial_flow "Flow through a hydraulic, electrical or thermal line at the start [m^3/s], [A] or [W], from 'from' to 'to'. Default: 0.";
      Interfaces.Electrical from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Electrical to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={0,0,255}, thickness=1)}));
    end Electrical;

    model Thermal "Transmission line, domain thermal"
      extends BaseLine;
      parameter Real heat_capacity(unit="J/K") "Heat capacity of a thermal line [J/K]; the delay is resistance times heat_capacity.";
      parameter Real resistance(unit="K/W") "Thermal resistance of a thermal line [K/W], which is its impedance.";
      parameter Real initial_flow "Flow through a hydraulic, electrical or thermal line at the start [m^3/s], [A] or [W], from 'from' to 'to'. Default: 0.";
      Interfaces.Thermal from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Thermal to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={191,0,0}, thickness=1)}));
    end Thermal;

    model Any "Transmission line, of a domain that is not known"
      extends BaseLine;
      Interfaces.Any from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Any to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={128,128,128}, thickness=1)}));
    end Any;
  end Lines;

  package Sampled "Sampled connections of all domains"

    model Translation "Sampled connection, domain translation"
      extends BaseSampled;
      Interfaces.Translation from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Translation to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={0,127,0}, pattern=LinePattern.Dot, thickness=1)}));
    end Translation;

    model Rotation "Sampled connection, domain rotation"
      extends BaseSampled;
      Interfaces.Rotation from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Rotation to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={95,95,95}, pattern=LinePattern.Dot, thickness=1)}));
    end Rotation;

    model Space "Sampled connection, domain mechanical3d"
      extends BaseSampled;
      Interfaces.Space from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Space to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={120,60,20}, pattern=LinePattern.Dot, thickness=1)}));
    end Space;

    model Hydraulic "Sampled connection, domain hydraulic"
      extends BaseSampled;
      Interfaces.Hydraulic from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Hydraulic to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={0,90,200}, pattern=LinePattern.Dot, thickness=1)}));
    end Hydraulic;

    model Electrical "Sampled connection, domain electrical"
      extends BaseSampled;
      Interfaces.Electrical from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Electrical to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={0,0,255}, pattern=LinePattern.Dot, thickness=1)}));
    end Electrical;

    model Thermal "Sampled connection, domain thermal"
      extends BaseSampled;
      Interfaces.Thermal from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Thermal to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={191,0,0}, pattern=LinePattern.Dot, thickness=1)}));
    end Thermal;

    model Any "Sampled connection, of a domain that is not known"
      extends BaseSampled;
      Interfaces.Any from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Any to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={128,128,128}, pattern=LinePattern.Dot, thickness=1)}));
    end Any;
  end Sampled;

  package Glue "Glued connections of all domains"

    model Translation "Glued connection, domain translation"
      extends BaseGlue;
      Interfaces.Translation from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Translation to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,4},{90,4}}, color={0,127,0}), Line(points={{-90,-4},{90,-4}}, color={0,127,0})}));
    end Translation;

    model Rotation "Glued connection, domain rotation"
      extends BaseGlue;
      Interfaces.Rotation from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Rotation to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,4},{90,4}}, color={95,95,95}), Line(points={{-90,-4},{90,-4}}, color={95,95,95})}));
    end Rotation;

    model Space "Glued connection, domain mechanical3d"
      extends BaseGlue;
      parameter String joint = "" "Joint that a glued connection in space forms. Default: fixed."
        annotation(choices(choice="fixed", choice="revolute", choice="spherical", choice="prismatic", choice="cylindrical"));
      parameter String axis = "" "Free axis of a revolute, prismatic or cylindrical glued joint, of the 'from' interface. Default: z."
        annotation(choices(choice="x", choice="y", choice="z"));
      Interfaces.Space from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Space to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,4},{90,4}}, color={120,60,20}), Line(points={{-90,-4},{90,-4}}, color={120,60,20})}));
    end Space;

    model Hydraulic "Glued connection, domain hydraulic"
      extends BaseGlue;
      Interfaces.Hydraulic from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Hydraulic to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,4},{90,4}}, color={0,90,200}), Line(points={{-90,-4},{90,-4}}, color={0,90,200})}));
    end Hydraulic;

    model Electrical "Glued connection, domain electrical"
      extends BaseGlue;
      Interfaces.Electrical from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Electrical to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,4},{90,4}}, color={0,0,255}), Line(points={{-90,-4},{90,-4}}, color={0,0,255})}));
    end Electrical;

    model Thermal "Glued connection, domain thermal"
      extends BaseGlue;
      Interfaces.Thermal from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Thermal to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,4},{90,4}}, color={191,0,0}), Line(points={{-90,-4},{90,-4}}, color={191,0,0})}));
    end Thermal;

    model Any "Glued connection, of a domain that is not known"
      extends BaseGlue;
      Interfaces.Any from "End at the first component" annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.Any to "End at the second component" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(Icon(graphics={Line(points={{-90,4},{90,4}}, color={128,128,128}), Line(points={{-90,-4},{90,-4}}, color={128,128,128})}));
    end Any;
  end Glue;

  block Signal "A signal that arrives later than it is sent, or that has a name in the results"
    extends BaseConnection;
    parameter Integer n = 1 "How many numbers the signal has";
    parameter Real delay(unit="s") "Travel time from one end to the other [s]; positive for a line. Default: 0 for a signal.";
    parameter Real scale "Factor that the signal is multiplied by on its way. Default: 1.";
    parameter Real offset "Number that is added to the signal after that, in the unit of the input. Default: 0.";
    parameter String from_unit = "" "Unit of the output, such as mm. Default: that of the FMU's variable.";
    parameter String to_unit = "" "Unit of the input. Default: that of the FMU's variable.";
    parameter String adds = "" "true on every signal to one input: the input is their sum. Default: false."
      annotation(choices(choice="true", choice="false"));
    Interfaces.SignalInput from[n] "From an output" annotation(Placement(transformation(extent={{-120,-20},{-80,20}})));
    Interfaces.SignalOutput to[n] "To an input" annotation(Placement(transformation(extent={{90,-10},{110,10}})));
    annotation(Icon(graphics={Line(points={{-90,0},{90,0}}, color={0,0,127})}));
  end Signal;

  model Gluing "Settings of the glued connections of a model, which has one of these at most"
    parameter Real step(unit="s") "Macro step [s]; with 'step_tolerance', the first one. Default: step of its components, or of the surrounding gluing.";
    parameter Real step_tolerance "Relative error of the motion per step; selects variable steps.";
    parameter Real smallest_step(unit="s") "Smallest step with 'step_tolerance' [s].";
    parameter Real largest_step(unit="s") "Largest step with 'step_tolerance' [s].";
    parameter String compatibility = "" "Motion that agrees on both sides. Default: auto."
      annotation(choices(choice="auto", choice="displacement", choice="velocity", choice="acceleration"));
    parameter String forces = "" "Interface forces as functions of time within a step. Default: auto."
      annotation(choices(choice="auto", choice="constant", choice="linear", choice="quadratic", choice="cubic"));
    parameter String update = "" "Update of the gluing matrix between two probings; 'aitken' relaxes the motions without a matrix. Default: broyden."
      annotation(choices(choice="broyden", choice="iqn_ils", choice="none", choice="aitken"));
    parameter String refresh = "" "When the gluing matrix is probed again. Default: lazy."
      annotation(choices(choice="lazy", choice="every_step", choice="every_iteration", choice="once"));
    parameter Real iterations "Corrections in a step before the matrix is probed again, or the step fails; 1 to 1000. Default: 8.";
    parameter Real tolerance "Tolerance of gaps, relative to the largest motion at the interface so far. Default: 1e-10.";
    parameter Real absolute_tolerance "Tolerance of gaps, in units of the motion that agrees. Default: 0.";
    parameter Real perturbation "Change of force in probes, relative to the largest force at the interface so far. Default: 0.01.";
    parameter Real least_perturbation "Smallest change of force in probes [N] or [N m]. Default: 1e-3.";
    parameter Real most_trials "Number of trials after which a step fails. Default: 200.";
    parameter Real most_seconds(unit="s") "Wall time after which a step fails [s]; also interrupts a component that does not finish its own step. Default: 60.";
    annotation(__Tieline(role="gluing"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-80,60},{80,-60}}, lineColor={60,60,60}),
        Text(extent={{-70,20},{70,-20}}, textString="gluing"), Text(extent={{-100,100},{100,64}}, textString="%name")}));
  end Gluing;
end Connections;
