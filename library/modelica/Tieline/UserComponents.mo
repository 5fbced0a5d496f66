within Tieline;
package UserComponents "Classes for components of your own, which extend those of Tieline.Components and declare interfaces"
  annotation(Documentation(info="<html><p>Example:</p><pre>model Car \"A car of another tool\"
  extends Tieline.Components.Program(tool=\"adams\", file=\"car.cmd\");
  Tieline.Interfaces.Space p1, p2, p3, p4;
end Car;</pre></html>"));
end UserComponents;
