// What changes between steps: contacts, switches of functions of time, and their snapshot.

#include <algorithm>

#include "components/network/network.hpp"

namespace tieline::components {

void Network::evaluate_guards(double t, wave::Side side, std::span<const double> y, std::span<double> values) const {
  if (guards_need_flows_) {
    evaluate(t, side, y);
  } else {
    read_inputs(t, side);
    place_nodes(t, side, y);
  }
  for (std::size_t i = 0; i < guards_.size();) {
    const Guard& guard = guards_[i];
    if (guard.kind == Guard::Kind::function) {
      const auto count = static_cast<std::size_t>(functions_[guard.index].switch_count());
      functions_[guard.index].guards(t, inputs_, values.subspan(i, count));
      i += count;
      continue;
    }
    const Contact& contact = contacts_[guard.index];
    const Link& link = links_[contact.element];
    const double overlap = contact.overlap(position_[link.to] - position_[link.from]);
    values[i++] = guard.kind == Guard::Kind::overlap
                      ? contact.overlap_guard(overlap)
                      : contact.force_guard(overlap, contact.sign * elongation_rate(link));
  }
}

void Network::guards(double t, std::span<const double> y, std::span<double> values) {
  evaluate_guards(t, wave::Side::left, y, values);
}

// Uses the positions and flows of the last evaluation.
void Network::change_mode(int index) {
  const Guard& guard = guards_[index];
  if (guard.kind == Guard::Kind::function) {
    functions_[guard.index].flip(guard.sub);
    return;
  }
  Contact& contact = contacts_[guard.index];
  const Link& link = links_[contact.element];
  contact.change(guard.kind == Guard::Kind::overlap, contact.overlap(position_[link.to] - position_[link.from]),
                 contact.sign * elongation_rate(link));
}

// One change can call for another (flows of massless nodes jump with the forces), and several guards may be due at
// once. As many rounds as there are guards are enough unless two modes contradict each other at a point; then the
// next step's guards continue from there.
bool Network::settle_modes(double t, std::span<const double> y) {
  bool has_changed = false;
  for (std::size_t round = 0; round < guards_.size(); ++round) {
    evaluate_guards(t, wave::Side::right, y, guard_values_);
    const auto due = std::find_if(guard_values_.begin(), guard_values_.end(), [](double g) { return g < 0.0; });
    if (due == guard_values_.end()) break;
    change_mode(static_cast<int>(due - guard_values_.begin()));
    has_changed = true;
  }
  return has_changed;
}

void Network::on_guard(int index, double t, std::span<double> y) {
  evaluate_guards(t, wave::Side::right, y, guard_values_);
  change_mode(index);
  settle_modes(t, y);
}

double Network::next_break(double t) const {
  double next = wave::Track::kNever;
  for (const TimeSignal& function : functions_) next = std::min(next, function.next_break(t));
  return next;
}

double Network::unseen_input(double t, double t_end, double relative_tolerance) {
  double worst = 0.0;
  for (const TimeSignal& function : functions_) worst = std::max(worst, function.unseen(t, t_end, relative_tolerance));
  return worst;
}

bool Network::on_break(double t, std::span<double> y) {
  read_inputs(t, wave::Side::right);
  bool has_changed = false;
  for (TimeSignal& function : functions_) has_changed = function.update(t, inputs_) || has_changed;
  return settle_modes(t, y) || has_changed;
}

void Network::save_modes(core::ArchiveWriter& archive) const {
  archive.tag("network");
  for (const Contact& contact : contacts_) archive.put(contact.mode);
  for (const TimeSignal& function : functions_) function.save(archive);
  for (const Imposed& imposed : imposed_) archive.put(imposed);
  for (const Link& link : links_) archive.put(link.reference);
}

void Network::restore_modes(core::ArchiveReader& archive) {
  if (!has_begun_) {
    if (auto prepared = prepare(); !prepared) throw core::ArchiveError(prepared.error().message);
  }
  archive.expect_tag("network");
  for (Contact& contact : contacts_) archive.get(contact.mode);
  for (TimeSignal& function : functions_) function.restore(archive);
  for (Imposed& imposed : imposed_) archive.get(imposed);
  for (Link& link : links_) archive.get(link.reference);
}

}  // namespace tieline::components
