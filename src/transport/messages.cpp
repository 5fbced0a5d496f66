#include "transport/messages.hpp"

namespace tieline::transport {
namespace {

// One function for each message names its fields in order; Out writes them, In reads them.

class Out {
 public:
  static constexpr bool is_reading = false;
  explicit Out(Encoder encoder) : encoder_(encoder) {}

  void operator()(const std::string& value) { encoder_.text(value); }
  void operator()(double value) { encoder_.f64(value); }
  void operator()(bool value) { encoder_.boolean(value); }
  void operator()(std::uint32_t value) { encoder_.u32(value); }
  void operator()(std::uint64_t value) { encoder_.u64(value); }
  void operator()(std::int64_t value) { encoder_.i64(value); }
  void operator()(const Token& value) { encoder_.raw(value.bytes()); }
  template <class E>
  requires std::is_enum_v<E>
  void operator()(E value, E) { encoder_.u8(static_cast<std::uint8_t>(value)); }
  void operator()(const std::vector<double>& values) { encoder_.doubles(values); }
  void operator()(const std::vector<std::uint64_t>& values) {
    encoder_.count(values.size());
    for (const std::uint64_t value : values) encoder_.u64(value);
  }
  template <class T, std::size_t n>
  void operator()(const std::array<T, n>& values) {
    for (const T& value : values) (*this)(value);
  }
  template <class T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }
  template <class T, class Each>
  void list(const std::vector<T>& values, std::size_t, Each&& each) {
    encoder_.count(values.size());
    for (const T& value : values) each(value);
  }

 private:
  Encoder encoder_;
};

class In {
 public:
  static constexpr bool is_reading = true;
  explicit In(Decoder& decoder) : decoder_(decoder) {}

  void operator()(std::string& value) { value = decoder_.text(); }
  void operator()(double& value) { value = decoder_.f64(); }
  void operator()(bool& value) { value = decoder_.boolean(); }
  void operator()(std::uint32_t& value) { value = decoder_.u32(); }
  void operator()(std::uint64_t& value) { value = decoder_.u64(); }
  void operator()(std::int64_t& value) { value = decoder_.i64(); }
  void operator()(Token& value) {
    const auto bytes = decoder_.raw(Token::kSize);
    std::array<std::byte, Token::kSize> copy{};
    if (bytes.size() == copy.size()) std::copy(bytes.begin(), bytes.end(), copy.begin());
    value = Token(copy);
  }
  /// An enumeration whose largest value is `last`.
  template <class E>
  requires std::is_enum_v<E>
  void operator()(E& value, E last) {
    const std::uint8_t number = decoder_.u8();
    if (number > static_cast<std::uint8_t>(last)) decoder_.fail();
    value = static_cast<E>(decoder_.failed() ? 0 : number);
  }
  void operator()(std::vector<double>& values) { decoder_.doubles(values); }
  void operator()(std::vector<std::uint64_t>& values) {
    values.resize(decoder_.count(sizeof(std::uint64_t)));
    for (std::uint64_t& value : values) value = decoder_.u64();
  }
  template <class T, std::size_t n>
  void operator()(std::array<T, n>& values) {
    for (T& value : values) (*this)(value);
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    value.reset();
    if (decoder_.boolean()) (*this)(value.emplace());
  }
  template <class T, class Each>
  void list(std::vector<T>& values, std::size_t least_bytes, Each&& each) {
    values.resize(decoder_.count(least_bytes));
    for (T& value : values) each(value);
  }

 private:
  Decoder& decoder_;
};

// The least that an element of a list takes on the wire [bytes].
constexpr std::size_t kTextBytes = 4;

template <class A, class M>
void fields(A& a, M& m, const InterfaceMessage*) {
  a(m.name), a(m.domain, core::Domain::signal), a(m.causality, core::Causality::output), a(m.size), a(m.is_connected);
  a(m.end_position), a(m.end_rotation);
}
template <class A, class M>
void fields(A& a, M& m, const Setup*) {
  a(m.component), a(m.model_file), a(m.start), a(m.stop), a(m.largest_step), a(m.exact_step), a(m.is_inquiry);
  a(m.position), a(m.rotation), a(m.beat_interval), a(m.patience), a(m.transports);
  a(m.sandbox, core::SandboxLevel::strict), a(m.tracks_file);
  a.list(m.parameters, 3 * kTextBytes + 8, [&](auto& p) { a(p.name), a(p.text), a(p.unit), a(p.value); });
  a.list(m.interfaces, kTextBytes + 63,
         [&](auto& each) { fields(a, each, static_cast<const InterfaceMessage*>(nullptr)); });
  a.list(m.overrides, 2 * kTextBytes, [&](auto& each) { a(each.first), a(each.second); });
  a(m.save_interval);
}
template <class A, class M>
void fields(A& a, M& m, const Registration*) {
  a.list(m.interfaces, kTextBytes + 67, [&](auto& each) {
    fields(a, each.interface, static_cast<const InterfaceMessage*>(nullptr));
    a(each.first);
  });
  a(m.can_save), a(m.endpoint);
}
template <class A, class M>
void fields(A& a, M& m, const Begin*) {
  a(m.start), a(m.stop), a(m.tick_length), a(m.save_interval), a(m.tick), a(m.length), a(m.lookahead), a(m.spin);
  a(m.is_driven);
  a.list(m.links, 2 * kTextBytes + Token::kSize, [&](auto& link) {
    a(link.number), a(link.partner), a(link.partner_length);
    a(link.stream.kind, OfferKind::connect), a(link.stream.is_second), a(link.stream.address), a(link.stream.token);
  });
  a.list(m.connections, 2 * kTextBytes + 66, [&](auto& c) {
    a(c.kind, ConnectionMessage::Kind::signal), a(c.name), a(c.interface), a(c.member), a(c.is_to), a(c.link);
    a(c.delay), a(c.impedance), a(c.damping), a(c.rotation_impedance), a(c.rotation_damping), a(c.free);
    a(c.factor), a(c.offset), a(c.row_interval);
    a.list(c.columns, 4, [&](auto& column) { a(column); });
  });
  a(m.row_interval);
  a.list(m.columns, 4, [&](auto& column) { a(column); });
  a(m.tracks_file), a(m.has_state), a(m.state), a(m.feeds), a(m.ends);
}
template <class A, class M>
void fields(A& a, M& m, const Saved*) {
  a(m.state), a(m.feeds);
}
template <class A, class M>
void fields(A& a, M& m, const Parked*) {
  a(m.tick), a(m.ends);
  a.list(m.figures, 3 * kTextBytes + 194, [&](auto& f) {
    a(f.component), a(f.solver), a(f.counts), a(f.numbers), a(f.reports_energy), a(f.energy), a(f.values),
        a(f.step_errors);
    a.list(f.facts, 4, [&](auto& fact) { a(fact.name), a(fact.text), a(fact.value), a(fact.is_warning); });
  });
  a(m.link_bytes), a(m.group);
}
template <class A, class M>
void fields(A& a, M& m, const Beat*) {
  a(m.tick), a(m.waits_for);
}
template <class A, class M>
void fields(A& a, M& m, const Rows*) {
  a(m.table), a(m.width), a(m.numbers);
}
template <class A, class M>
void fields(A& a, M& m, const ReportedFact*) {
  a(m.name), a(m.text), a(m.value), a(m.is_parameter);
}
template <class A, class M>
void fields(A& a, M& m, const Drive*) {
  a(m.begin), a(m.end), a(m.is_save_point), a(m.inputs);
}
template <class A, class M>
void fields(A& a, M& m, const Driven*) {
  a.list(m.samples, 4, [&](auto& samples) { a(samples); });
  a(m.counts);
}
template <class A, class M>
void fields(A& a, M& m, const core::Error*) {
  a(m.code, core::ErrorCode::protocol), a(m.message), a(m.component), a(m.port), a(m.time);
}

template <class A, class M>
void fields(A& a, M& m, const core::Ending*) {
  a(m.time), a(m.component), a(m.reason);
}

template <class M>
void write(Encoder encoder, const M& message) {
  Out out(encoder);
  fields(out, message, &message);
}

}  // namespace

void encode(Encoder encoder, const Setup& message) { write(encoder, message); }
void encode(Encoder encoder, const Registration& message) { write(encoder, message); }
void encode(Encoder encoder, const Begin& message) { write(encoder, message); }
void encode(Encoder encoder, const Saved& message) { write(encoder, message); }
void encode(Encoder encoder, const Parked& message) { write(encoder, message); }
void encode(Encoder encoder, const Beat& message) { write(encoder, message); }
void encode(Encoder encoder, const Rows& message) { write(encoder, message); }
void encode(Encoder encoder, const ReportedFact& message) { write(encoder, message); }
void encode(Encoder encoder, const Drive& message) { write(encoder, message); }
void encode(Encoder encoder, const Driven& message) { write(encoder, message); }
void encode(Encoder encoder, const core::Error& error) { write(encoder, error); }
void encode(Encoder encoder, const core::Ending& ending) { write(encoder, ending); }

template <class T>
std::optional<T> decode(std::span<const std::byte> payload) {
  Decoder decoder(payload);
  In in(decoder);
  T message;
  fields(in, message, static_cast<const T*>(nullptr));
  if (!decoder.is_complete()) return std::nullopt;
  return message;
}

template std::optional<Setup> decode(std::span<const std::byte>);
template std::optional<Registration> decode(std::span<const std::byte>);
template std::optional<Begin> decode(std::span<const std::byte>);
template std::optional<Saved> decode(std::span<const std::byte>);
template std::optional<Parked> decode(std::span<const std::byte>);
template std::optional<Beat> decode(std::span<const std::byte>);
template std::optional<Rows> decode(std::span<const std::byte>);
template std::optional<ReportedFact> decode(std::span<const std::byte>);
template std::optional<Drive> decode(std::span<const std::byte>);
template std::optional<Driven> decode(std::span<const std::byte>);
template std::optional<core::Error> decode(std::span<const std::byte>);
template std::optional<core::Ending> decode(std::span<const std::byte>);

}  // namespace tieline::transport
