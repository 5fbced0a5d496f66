package Tieline "Co-simulation of components from different tools, connected by transmission lines"
  annotation(
    version="1.0",
    Documentation(info="<html><p>A composite model extends <code>Tieline.BaseModel</code>. It contains components
(<code>Tieline.Components</code>, one class for each kind of tool, or classes that extend these and declare interfaces),
and connections (<code>Tieline.Connections</code>, one class for each coupling and domain) between their interfaces
(<code>Tieline.Interfaces</code>, one connector for each domain). <code>tieline convert model.mo model.xml</code> translates it;
<code>tieline run model.mo</code> runs it. Models are never simulated by a Modelica tool.</p></html>"),
    Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-90,30},{-40,-30}}, fillColor={90,120,180},
      fillPattern=FillPattern.Solid), Rectangle(extent={{40,30},{90,-30}}, fillColor={90,120,180}, fillPattern=FillPattern.Solid),
      Line(points={{-40,0},{40,0}}, thickness=1)}));
end Tieline;
