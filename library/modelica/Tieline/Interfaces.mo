within Tieline;
package Interfaces "Interfaces of components, a connector for each domain"

  connector Translation "Motion along an axis"
    Real s(unit="m") "Position";
    flow Real f(unit="N") "Force on the component";
    annotation(__Tieline(role="interface", domain="translation"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,127,0},
        fillColor={0,127,0}, fillPattern=FillPattern.Solid)}),
      Diagram(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-40,40},{40,-40}}, lineColor={0,127,0},
        fillColor={0,127,0}, fillPattern=FillPattern.Solid), Text(extent={{-160,110},{40,50}}, textString="%name")}));
  end Translation;

  connector Rotation "Rotation about an axis"
    Real phi(unit="rad") "Angle";
    flow Real tau(unit="N.m") "Torque on the component";
    annotation(__Tieline(role="interface", domain="rotation"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-100,100},{100,-100}}, lineColor={95,95,95},
        fillColor={95,95,95}, fillPattern=FillPattern.Solid)}),
      Diagram(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-40,40},{40,-40}}, lineColor={95,95,95},
        fillColor={95,95,95}, fillPattern=FillPattern.Solid), Text(extent={{-160,110},{40,50}}, textString="%name")}));
  end Rotation;

  connector Space "Motion in space"
    Real r[3](each unit="m") "Position";
    Real phi[3](each unit="rad") "Rotation";
    flow Real f[3](each unit="N") "Force on the component";
    flow Real t[3](each unit="N.m") "Torque on the component";
    annotation(__Tieline(role="interface", domain="mechanical3d"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-100,100},{100,-100}}, lineColor={120,60,20},
        fillColor={120,60,20}, fillPattern=FillPattern.Solid)}),
      Diagram(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-40,40},{40,-40}}, lineColor={120,60,20},
        fillColor={120,60,20}, fillPattern=FillPattern.Solid), Text(extent={{-160,110},{40,50}}, textString="%name")}));
  end Space;

  connector Hydraulic "Pressure and flow of a fluid"
    Real p(unit="Pa") "Pressure";
    flow Real q(unit="m3/s") "Flow into the component";
    annotation(__Tieline(role="interface", domain="hydraulic"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,90,200},
        fillColor={0,90,200}, fillPattern=FillPattern.Solid)}),
      Diagram(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-40,40},{40,-40}}, lineColor={0,90,200},
        fillColor={0,90,200}, fillPattern=FillPattern.Solid), Text(extent={{-160,110},{40,50}}, textString="%name")}));
  end Hydraulic;

  connector Electrical "Voltage and current"
    Real v(unit="V") "Voltage";
    flow Real i(unit="A") "Current into the component";
    annotation(__Tieline(role="interface", domain="electrical"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-100,100},{100,-100}}, lineColor={0,0,255},
        fillColor={0,0,255}, fillPattern=FillPattern.Solid)}),
      Diagram(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-40,40},{40,-40}}, lineColor={0,0,255},
        fillColor={0,0,255}, fillPattern=FillPattern.Solid), Text(extent={{-160,110},{40,50}}, textString="%name")}));
  end Electrical;

  connector Thermal "Temperature and heat flow"
    Real T(unit="K") "Temperature";
    flow Real Q(unit="W") "Heat flow into the component";
    annotation(__Tieline(role="interface", domain="thermal"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-100,100},{100,-100}}, lineColor={191,0,0},
        fillColor={191,0,0}, fillPattern=FillPattern.Solid)}),
      Diagram(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-40,40},{40,-40}}, lineColor={191,0,0},
        fillColor={191,0,0}, fillPattern=FillPattern.Solid), Text(extent={{-160,110},{40,50}}, textString="%name")}));
  end Thermal;

  connector SignalInput = input Real "A signal that the component receives"
    annotation(__Tieline(role="interface", domain="signal", causality="input"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Polygon(points={{-100,100},{100,0},{-100,-100},{-100,100}},
        lineColor={0,0,127}, fillColor={0,0,127}, fillPattern=FillPattern.Solid)}));

  connector SignalOutput = output Real "A signal that the component sends"
    annotation(__Tieline(role="interface", domain="signal", causality="output"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Polygon(points={{-100,100},{100,0},{-100,-100},{-100,100}},
        lineColor={0,0,127}, fillColor={255,255,255}, fillPattern=FillPattern.Solid)}));

  connector Any "An interface whose domain is not known here"
    Real e "Motion or potential";
    flow Real f "Force or flow";
    annotation(__Tieline(role="interface"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-100,100},{100,-100}}, lineColor={128,128,128},
        fillColor={128,128,128}, fillPattern=FillPattern.Solid)}),
      Diagram(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-40,40},{40,-40}}, lineColor={128,128,128},
        fillColor={128,128,128}, fillPattern=FillPattern.Solid), Text(extent={{-160,110},{40,50}}, textString="%name")}));
  end Any;
end Interfaces;
