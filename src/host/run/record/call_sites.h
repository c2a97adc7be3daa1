#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "binary/sections/site_table.h"
#include "binary/symbolizer.h"

namespace heddle::run {

// A place in the program's own code that calls an operation, as a row of the sites, by its return addresses, innermost
// first. It has no kind and no size: what happens there is up to the function that is called. nullopt: no code of its
// own.
std::optional<binary::Site> describe_call_site(binary::Symbolizer& symbolizer,
                                               std::span<const format::ModuleReport> modules,
                                               std::span<const std::uint64_t> pcs);

}  // namespace heddle::run
