within Tieline;
package Functions "Functions of expressions in composite models that Modelica has not built in"

  function asinh "Inverse of sinh"
    input Real x;
    output Real y;
  algorithm
    y := log(x + sqrt(x*x + 1));
  end asinh;

  function acosh "Inverse of cosh"
    input Real x;
    output Real y;
  algorithm
    y := log(x + sqrt(x*x - 1));
  end acosh;

  function atanh "Inverse of tanh"
    input Real x;
    output Real y;
  algorithm
    y := 0.5*log((1 + x)/(1 - x));
  end atanh;

  function log2 "Logarithm to base 2"
    input Real x;
    output Real y;
  algorithm
    y := log(x)/log(2);
  end log2;

  function rint "Nearest whole number"
    input Real x;
    output Real y;
  algorithm
    y := floor(x + 0.5);
  end rint;

  function avg "Mean value"
    input Real x[:];
    output Real y;
  algorithm
    y := sum(x)/size(x, 1);
  end avg;
end Functions;
