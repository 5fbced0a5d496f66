#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/modelica_translation.hpp"

namespace tieline::interchange {

/// A composite model of Modelica, outermost or nested, as a <CompositeModel>.
class ModelicaComposite {
 public:
  ModelicaComposite(ModelicaTranslation& translation, modelica::Instance& model)
      : shared_(translation), model_(model) {}

  /// Writes it; its place in the model is that of `place`.
  void write(const std::string& name, bool is_outermost, const document::Place& place);

 private:
  using Kind = ModelicaRole::Kind;

  /// One object of the model: a component, or an element of an array of components.
  struct Part {
    const modelica::Member* member = nullptr;
    modelica::Instance* object = nullptr;
    Kind kind = Kind::none;
    std::string name{};
    // of a connection or boundary
    std::vector<std::string> ends[2]{};  ///< what is connected to its two ends
    document::Place end_places[2]{};
    bool is_queued = false;
    bool is_proposed = false;  ///< an error has named it
  };
  /// An end of a connect equation.
  struct End {
    enum class Kind { component, connection, own };
    Kind kind = Kind::component;
    Part* part = nullptr;
    int side = 0;        ///< of a connection: 0 from, 1 to
    std::string text{};  ///< "component.interface", or the name of an own interface
    bool is_signal = false;
    std::string causality{};
    int size = 0;  ///< of a whole signal of several numbers; 0: it is one thing
    document::Place place{};
  };
  struct Item {
    Part* part = nullptr;  ///< null: a connection without an object
    End from{}, to{};
  };

  // what is there
  void collect_parts();
  void collect_member(const modelica::Member& member);
  void name_the_rest();
  // connect equations
  void connect_all(const std::vector<modelica::Equation>& equations, modelica::Class& type,
                   const modelica::Iterators& iterators, int depth);
  void connect(const modelica::Equation& equation, modelica::Class& type, const modelica::Iterators& iterators);
  void connect_branch(const modelica::Equation& equation, modelica::Class& type, const modelica::Iterators& iterators,
                      int depth);
  void connect_loop(const modelica::Equation& equation, std::size_t index, modelica::Class& type,
                    modelica::Iterators iterators, int depth);
  void join(End a, End b);
  void check_source(const End& from, const End& to);
  void attach(const End& end, const End& other);
  std::vector<End> ends_of(const modelica::Expression& expression, modelica::Class& type,
                           const modelica::Iterators& iterators);
  std::vector<End> ends_of_part(Part& part, const modelica::Reference& reference, modelica::Class& type,
                                const modelica::Iterators& iterators);
  std::vector<End> ends_of_interface(modelica::Instance& owner, const modelica::Member& member, const End& base,
                                     const std::string& prefix, const modelica::Reference::Part& part,
                                     modelica::Class& type, const modelica::Iterators& iterators);
  std::optional<std::vector<std::vector<int>>> selected(const modelica::Reference::Part& part,
                                                        const std::vector<int>& sizes, modelica::Class& type,
                                                        const modelica::Iterators& iterators);
  void report_unknown_part(const modelica::Reference::Part& part, modelica::Class& type);
  static std::vector<End> spread(const End& end);
  // what is written
  void write_parameters();
  void write_components();
  void write_component(const Part& part);
  void write_component(modelica::Instance& object, const modelica::Element& element, modelica::Class& stated_in,
                       const std::string& name, const std::string& enabled);
  void write_placement_attributes(const modelica::Element& element, modelica::Class& stated_in);
  bool write_alternative(const Part& part);
  void write_interfaces();
  void write_connections();
  void write_connection(const Item& item);
  void write_boundary(const Part& part);
  void write_gluing();
  void write_simulation(bool is_outermost, const StatedObject& stated);
  void write_declared_interfaces(modelica::Instance& object);
  void write_own_parameters(modelica::Instance& object, bool only_outer);
  void write_parameter(const modelica::Member& member, const modelica::Value& value, modelica::Instance& where,
                       bool has_notes);
  void write_attribute(const StatedAttribute& attribute);
  void copy_annotated(modelica::Instance& object, const modelica::Element* element, modelica::Class* stated_in,
                      std::string_view list, std::initializer_list<std::string_view> roots,
                      const document::ElementRule* parent);
  void write_annotated_attributes(modelica::Instance& object, const modelica::Element* element,
                                  modelica::Class* stated_in);
  [[nodiscard]] std::string enabled_of(const modelica::Element& element, modelica::Class& type,
                                       modelica::Instance& where);
  [[nodiscard]] std::string usable_name(const modelica::Member& member, const std::string& suffix);

  ModelicaTranslation& shared_;
  modelica::Instance& model_;
  std::deque<Part> parts_{};
  std::map<std::string_view, std::vector<Part*>> parts_of_{};  ///< by the member, in the order of the array
  std::vector<Item> items_{};
  std::vector<std::pair<std::string, End>> exposed_{};                        ///< own interfaces and what they are
  std::map<std::string, std::pair<std::string, document::Place>> sources_{};  ///< of signal inputs, with their places
  std::set<std::string_view> mentioned_{};                                    ///< in connect equations
  std::string common_delay_{};
  std::vector<std::unique_ptr<modelica::Instance>> variants_{};
};

inline constexpr std::string_view kNoEquations =
    "an equation has no meaning in a composite model, which consists of components and connections; it is left out";

}  // namespace tieline::interchange
