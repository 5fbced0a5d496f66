#pragma once

#include "document/diagnostics.hpp"
#include "document/grammar.hpp"
#include "document/scope.hpp"
#include "document/xml.hpp"
#include "railway/aero.hpp"
#include "railway/track_spec.hpp"

namespace tieline::railway {

[[nodiscard]] document::Grammar track_grammar();
[[nodiscard]] TrackSpec read_track(const document::Element& content, const document::Scope& scope,
                                   document::Diagnostics& diagnostics);

[[nodiscard]] document::Grammar aero_grammar();
[[nodiscard]] AeroSpec read_aero(const document::Element& content, const document::Scope& scope,
                                 document::Diagnostics& diagnostics);

}  // namespace tieline::railway
