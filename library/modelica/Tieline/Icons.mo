within Tieline;
package Icons "Pictures of classes"
  partial class Empty "Nothing, in place of a picture of the Modelica Standard Library"
  end Empty;
end Icons;
