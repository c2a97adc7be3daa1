#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "binary/sections/site_table.h"
#include "binary/symbolizer.h"

namespace heddle::run {

// The row of the site table for the innermost call in the program's own code; `pcs` are return addresses, innermost
// first. Kind and size stay 0, because the called function determines them. nullopt: no frame is the program's own
// code.
std::optional<binary::Site> describe_call_site(binary::Symbolizer& symbolizer,
                                               std::span<const format::ModuleReport> modules,
                                               std::span<const std::uint64_t> pcs);

}  // namespace heddle::run
