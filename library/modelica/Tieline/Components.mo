within Tieline;
package Components "Components, a class for each kind; a model that uses one declares its interfaces in a class that extends it"

  partial model BaseComponent "What all components have"
    parameter String library_type = "" "'library.Type', which supplies everything that is not stated here; instead of 'kind'."
      annotation(Dialog(group="General"), __Tieline(attribute="type"));
    parameter String file = "" "File with the content."
      annotation(Dialog(group="General", loadSelector(caption="File with the content")));
    parameter String tool = "" "Tool that made the component. For kind 'process' without a command: the tool of the site file that runs it."
      annotation(Dialog(group="Program"));
    parameter String transport = "" "How its process exchanges values with other processes. Default: value of 'Processes'."
      annotation(Dialog(group="Program"), choices(choice="auto", choice="shared_memory", choice="tcp"));
    parameter Real start_deadline(unit="s") "Time that its process may take to join the run [s]. Default: value of 'Processes'."
      annotation(Dialog(group="Program"));
    parameter String host = "" "Host of the site file that computes it, in a process of its own; for a nested model, each component in it. 'here' is the machine of the run. Default: this machine, or what '--place' says."
      annotation(Dialog(group="Program"));
    parameter Real cores "Cores that its process needs, where hosts are chosen for it. Default: 1."
      annotation(Dialog(group="Program"));
    parameter Real memory "Memory that its process needs, where hosts are chosen for it [bytes]. Default: not known."
      annotation(Dialog(group="Program"));
    parameter String start = "" "For kind 'process': 'as_stated' by the program, or in 'equilibrium': it stays where it starts, and lines start with the forces that keep it there. Default: as_stated."
      annotation(Dialog(group="Program"), choices(choice="as_stated", choice="equilibrium"));
    parameter Boolean isolate = false "Whether it runs in its own process, with the same results; for a nested model, each component in it."
      annotation(Dialog(group="Program"));
    parameter String sandbox = "" "For kinds 'fmu' and 'process', and for a nested model each of these in it: what its code may do. 'standard' keeps it from other processes and from changing the system; 'strict' also restricts writing to its own folder, and forbids network and, for an FMU, other programs; 'no' restricts nothing. Default: standard for 'fmu', no for 'process'."
      annotation(Dialog(group="Program"), choices(choice="no", choice="standard", choice="strict"));
    parameter String version = "" "Version, for information."
      annotation(Dialog(group="General"));
    parameter String command = "" "For kind 'process': command that starts it, a program and its arguments. It runs without a shell; '{words}' in braces are replaced, each within one argument."
      annotation(Dialog(group="Program"));
    parameter String folder = "" "For kind 'process': working folder, relative to this file. Default: folder of the tool, or of the file that states the command."
      annotation(Dialog(group="Program"));
    parameter Boolean exact_step = false "For kind 'process': whether its steps end where others need its values, so that nothing is interpolated."
      annotation(Dialog(group="Program"));
    parameter String attach = "" "'component.interface' of another component. This one is placed so that its own interface coincides with it at the start; instead of 'Placement'."
      annotation(Dialog(group="Placement"));
    parameter String attach_at = "" "The own interface that 'attach' places. Default: the one that a connection joins with 'attach'."
      annotation(Dialog(group="Placement"));
    parameter String solver = "" "Integration method. Default: value of 'Simulation'."
      annotation(Dialog(group="Solver"), choices(choice="auto", choice="dopri5", choice="radau5", choice="rk4", choice="zhai", choice="cvode-bdf", choice="cvode-adams", choice="ida"));
    parameter Real tolerance "Relative tolerance; the absolute tolerance of each state follows from its largest value so far. Default: value of 'Simulation'."
      annotation(Dialog(group="Solver"));
    parameter Real step(unit="s") "Step size of a fixed-step solver [s]. Default: value of 'Simulation'."
      annotation(Dialog(group="Solver"));
    parameter Real largest_step(unit="s") "Largest step of a variable-step solver [s]. Default: value of 'Simulation'."
      annotation(Dialog(group="Solver"));
    parameter String error_control = "" "What the tolerance applies to. 'efforts': the states, and the forces, pressures and other efforts at the ends of lines. 'states': the states alone, which needs fewer steps and leaves larger errors in efforts at stiff lines. Default: value of 'Simulation'."
      annotation(Dialog(group="Solver"), choices(choice="efforts", choice="states"));
    parameter Real write_interval(unit="s") "Time between recorded rows [s]; 0 means every accepted step. Default: value of 'Simulation'."
      annotation(Dialog(group="Results"));
    parameter Real window(unit="s") "Time between exchanges with its neighbours [s]; at most its shortest delay. Default: half its shortest delay."
      annotation(Dialog(group="Solver"));
    parameter String icon = "" "Picture for diagrams, an SVG or PNG file."
      annotation(Dialog(group="Picture", loadSelector(caption="Picture for diagrams")));
    parameter String geometry = "" "Shape for animations, an STL or OBJ file in metres; it moves with the first body or the first interface in space."
      annotation(Dialog(group="Picture", loadSelector(caption="Shape for animations")));
    parameter Real position[3](each unit="m") "Position in the surrounding model. Default: 0, 0, 0."
      annotation(Dialog(group="Placement"));
    parameter Real angles[3](each unit="rad") "Rotations about the fixed axes x, then y, then z. Default: 0, 0, 0."
      annotation(Dialog(group="Placement"));
    annotation(__Tieline(role="component"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-80,60},{80,-60}}, lineColor={60,60,60}, fillColor={245,245,245}, fillPattern=FillPattern.Solid, radius=10), Text(extent={{-100,100},{100,64}}, textString="%name")}));
  end BaseComponent;

  model Network "A lumped 1-D network: mechanical, hydraulic, electrical and thermal"
    extends BaseComponent;
    annotation(__Tieline(kind="network"),
      Icon(graphics={Text(extent={{-70,20},{70,-20}}, textString="network")}));
  end Network;

  model Blocks "A block diagram of signals, for controllers"
    extends BaseComponent;
    annotation(__Tieline(kind="blocks"),
      Icon(graphics={Text(extent={{-70,20},{70,-20}}, textString="blocks")}));
  end Blocks;

  model Multibody "Rigid bodies and beams in space, with forces and joints"
    extends BaseComponent;
    annotation(__Tieline(kind="multibody"),
      Icon(graphics={Text(extent={{-70,20},{70,-20}}, textString="multibody")}));
  end Multibody;

  model Structure "A linear finite-element structure of beams in space"
    extends BaseComponent;
    annotation(__Tieline(kind="structure"),
      Icon(graphics={Text(extent={{-70,20},{70,-20}}, textString="structure")}));
  end Structure;

  model Program "A program that takes part through the plug-in: another simulation tool"
    extends BaseComponent;
    annotation(__Tieline(kind="process"),
      Icon(graphics={Text(extent={{-70,20},{70,-20}}, textString="program")}));
  end Program;

  model Fmu "An FMU of FMI 1.0, 2.0 or 3.0"
    extends BaseComponent;
    annotation(__Tieline(kind="fmu"),
      Icon(graphics={Text(extent={{-70,20},{70,-20}}, textString="FMU")}));
  end Fmu;

  model Composite "A composite model in a file of its own"
    extends BaseComponent;
    annotation(__Tieline(kind="composite"),
      Icon(graphics={Text(extent={{-70,20},{70,-20}}, textString="composite")}));
  end Composite;

  model Typed "A component of a type of an XML library, which library_type names"
    extends BaseComponent;
    annotation(Icon(graphics={Text(extent={{-70,20},{70,-20}}, textString="%library_type")}));
  end Typed;

  model Verbatim "Elements of the XML format that Modelica has no word for, such as repeats: in annotations, where they are kept"
    annotation(__Tieline(role="verbatim"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-80,60},{80,-60}}, lineColor={128,128,128},
        pattern=LinePattern.Dash), Text(extent={{-70,20},{70,-20}}, textString="XML"), Text(extent={{-100,100},{100,64}}, textString="%name")}));
  end Verbatim;
end Components;
