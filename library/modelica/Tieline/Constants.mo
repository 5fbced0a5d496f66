within Tieline;
package Constants "Constants"
  final constant Real pi = 3.14159265358979323846 "Circumference of a circle of diameter 1";
end Constants;
