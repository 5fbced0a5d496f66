within Tieline;
package Boundaries "Boundary conditions at interfaces without a connection"

  partial model BaseBoundary "What all boundary conditions have"
    parameter String as = "" "Kind of boundary condition."
      annotation(choices(choice="free", choice="fixed", choice="force", choice="motion", choice="signal"));
    parameter String value = "" "Value as a function of time. For a signal of several numbers: one function for all, or one for each.";
    parameter String file = "" "File with the recorded value: text (a column of times, then columns of values; a first row may name them, with their units in brackets), MAT, or a result folder."
      annotation(Dialog(loadSelector(caption="File with the recorded value: text (a column of times")));
    parameter String results = "" "Result folder with the recorded value."
      annotation(Dialog(loadSelector(caption="Result folder with the recorded value")));
    parameter String variable = "" "Variable of the results, or column of the file; for a signal of several numbers one for each, separated by commas. A name that contains commas is written in double quotes. Without it, columns are used from the second on.";
    parameter String join = "" "Value between two rows of a record: that of the row before, or on a straight line or a cubic through the rows. Whole numbers, Booleans, enumerations and discrete numbers of FMUs are always held. Default: linear for a file, cubic for results."
      annotation(choices(choice="hold", choice="linear", choice="cubic"));
    annotation(__Tieline(role="boundary"),
      Icon(coordinateSystem(extent={{-100,-100},{100,100}}), graphics={Rectangle(extent={{-20,60},{20,-60}}, fillColor={160,160,160},
        fillPattern=FillPattern.Backward), Text(extent={{-100,100},{100,64}}, textString="%name")}));
  end BaseBoundary;

  model Translation "At an interface of domain translation"
    extends BaseBoundary;
    Interfaces.Translation port annotation(Placement(transformation(extent={{10,-10},{30,10}})));
  end Translation;

  model Rotation "At an interface of domain rotation"
    extends BaseBoundary;
    Interfaces.Rotation port annotation(Placement(transformation(extent={{10,-10},{30,10}})));
  end Rotation;

  model Space "At an interface of domain mechanical3d"
    extends BaseBoundary;
    Interfaces.Space port annotation(Placement(transformation(extent={{10,-10},{30,10}})));
  end Space;

  model Hydraulic "At an interface of domain hydraulic"
    extends BaseBoundary;
    Interfaces.Hydraulic port annotation(Placement(transformation(extent={{10,-10},{30,10}})));
  end Hydraulic;

  model Electrical "At an interface of domain electrical"
    extends BaseBoundary;
    Interfaces.Electrical port annotation(Placement(transformation(extent={{10,-10},{30,10}})));
  end Electrical;

  model Thermal "At an interface of domain thermal"
    extends BaseBoundary;
    Interfaces.Thermal port annotation(Placement(transformation(extent={{10,-10},{30,10}})));
  end Thermal;

  model Any "At an interface"
    extends BaseBoundary;
    Interfaces.Any port annotation(Placement(transformation(extent={{10,-10},{30,10}})));
  end Any;

  block Signal "At a signal input"
    extends BaseBoundary;
    parameter Integer n = 1 "How many numbers the signal has";
    Interfaces.SignalOutput port[n] annotation(Placement(transformation(extent={{10,-10},{30,10}})));
  end Signal;
end Boundaries;
