within Tieline;
partial model BaseModel "What every composite model extends: the settings of its run"
  extends Components.BaseComponent;
  parameter Real start(unit="s") "Start time [s]. Default: 0."
    annotation(Dialog(group="Run"));
  parameter Real stop(unit="s") "Stop time [s]."
    annotation(Dialog(group="Run"));
  parameter Real save_interval(unit="s") "Time between save points [s]; without it there are none."
    annotation(Dialog(group="Run"));
  annotation(__Tieline(role="model"),
    Documentation(info="<html><p>Start time, stop time, tolerance and interval are those of the annotation <code>experiment</code>; here they may also be
expressions. Settings that a component of this class states count for it as a component of the surrounding model.</p></html>"));
end BaseModel;
