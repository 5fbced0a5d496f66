package MetaModel "The library of Siemers, Nakhimovski and Fritzson (2005), section 4.1, in terms of Tieline"
  package Interfaces "Interfaces of components"
    connector TLMInterface "A point of a mechanical object that moves in space"
      extends Tieline.Interfaces.Space;
      annotation(Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Ellipse(extent={{-60,60},{60,-60}}, lineColor={120,60,20},
        fillColor={255,255,255}, fillPattern=FillPattern.Solid)}));
    end TLMInterface;
  end Interfaces;

  package Components "Components by tool"
    partial model BaseComponent "What components of all tools have"
      extends Tieline.Components.Program;
      parameter String Description = "" "Text for people" annotation(__Tieline(text="Description"));
      parameter String SimulationFiles = "" "Files that the tool reads, separated by commas" annotation(__Tieline(files="SimulationFiles"));
      parameter String StartMethod = "" "How the tool is started: a tool of the site file" annotation(__Tieline(attribute="tool"));
    end BaseComponent;

    model BeastComponent "A component of BEAST"
      extends BaseComponent(StartMethod="start-beast");
    end BeastComponent;

    model AdamsComponent "A component of MSC.ADAMS"
      extends BaseComponent(StartMethod="start-adams");
    end AdamsComponent;

    model BeastComponent1 "A component of BEAST with one interface"
      extends BeastComponent;
      Interfaces.TLMInterface p1 annotation(Placement(transformation(extent={{70,-10},{90,10}})));
    end BeastComponent1;

    model BeastComponent2 "A component of BEAST with two interfaces"
      extends BeastComponent1;
      Interfaces.TLMInterface p2 annotation(Placement(transformation(extent={{-90,-10},{-70,10}})));
    end BeastComponent2;

    model AdamsComponent1 "A component of MSC.ADAMS with one interface"
      extends AdamsComponent;
      Interfaces.TLMInterface p1 annotation(Placement(transformation(extent={{70,-10},{90,10}})));
    end AdamsComponent1;

    model AdamsComponent2 "A component of MSC.ADAMS with two interfaces"
      extends AdamsComponent1;
      Interfaces.TLMInterface p2 annotation(Placement(transformation(extent={{-90,-10},{-70,10}})));
    end AdamsComponent2;
  end Components;

  package Connections "Connections"
    model TLMConnection "A transmission line in space, isotropic"
      extends Tieline.Connections.BaseConnection;
      parameter Real TLMDelay(unit="s") "Travel time. Default: that of the model." annotation(__Tieline(attribute="delay"));
      parameter Real zf(unit="N.s/m") = 0 "Impedance against translation" annotation(__Tieline(attribute="impedance"));
      parameter Real zfr(unit="N.m.s/rad") = zf "Impedance against rotation" annotation(__Tieline(attribute="impedance_rotation"));
      parameter Real alpha = 0 "Damping, from 0 to below 1" annotation(__Tieline(attribute="damping"));
      Interfaces.TLMInterface p1 annotation(Placement(transformation(extent={{-110,-10},{-90,10}})));
      Interfaces.TLMInterface p2 annotation(Placement(transformation(extent={{90,-10},{110,10}})));
      annotation(__Tieline(coupling="line", from="p1", to="p2"),
        Icon(graphics={Line(points={{-90,0},{90,0}}, color={120,60,20}, thickness=1)}));
    end TLMConnection;
  end Connections;

  package UserComponents "Components of the paper's example, section 4.5"
    model BeastCarCorner "A hub unit with four interfaces"
      extends Components.BeastComponent;
      Interfaces.TLMInterface p1 annotation(Placement(transformation(extent={{-90,30},{-70,50}})));
      Interfaces.TLMInterface p2 annotation(Placement(transformation(extent={{-90,-50},{-70,-30}})));
      Interfaces.TLMInterface p3 annotation(Placement(transformation(extent={{70,-50},{90,-30}})));
      Interfaces.TLMInterface p4 annotation(Placement(transformation(extent={{70,30},{90,50}})));
    end BeastCarCorner;

    model AdamsCarModel "A car with four interfaces"
      extends Components.AdamsComponent;
      Interfaces.TLMInterface p1 annotation(Placement(transformation(extent={{-90,30},{-70,50}})));
      Interfaces.TLMInterface p2 annotation(Placement(transformation(extent={{-90,-50},{-70,-30}})));
      Interfaces.TLMInterface p3 annotation(Placement(transformation(extent={{70,-50},{90,-30}})));
      Interfaces.TLMInterface p4 annotation(Placement(transformation(extent={{70,30},{90,50}})));
    end AdamsCarModel;
  end UserComponents;

  partial model BaseMetaModel "What every meta-model extends: the settings of its run"
    extends Tieline.BaseModel;
    parameter Real StartTime(unit="s") = 0 "Start time" annotation(__Tieline(attribute="start"));
    parameter Real EndTime(unit="s") = 1 "Stop time" annotation(__Tieline(attribute="stop"));
    parameter Real TLMDelay(unit="s") = 0.001 "Travel time of connections that state none" annotation(__Tieline(common="delay"));
  end BaseMetaModel;
  annotation(Documentation(info="<html><p>Values without a default in the paper have those of its XML example. An impedance of 0 carries no
force; state the impedance of each joint.</p></html>"));
end MetaModel;
