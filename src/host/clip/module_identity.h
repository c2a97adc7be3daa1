#pragma once
#include <string>
#include <vector>

#include "clip/clip.h"
#include "format/run_result.h"

namespace heddle::clip {

std::string build_id_text(const format::ModuleReport& module);  // hex
std::string module_path(const format::ModuleReport& module);

// The modules that a run has loaded, in load order.
std::vector<ModuleIdentity> module_identities(const format::SessionResult& result);

// The model name of this machine's processor.
std::string processor_name();

// Describes the differences between this machine and that of the clip: libraries of other builds, and the processor.
// Skips the program and its instrumented modules, whose builds decide how the clip is replayed.
std::vector<std::string> find_foreign_parts(const ClipHead& head);

}  // namespace heddle::clip
