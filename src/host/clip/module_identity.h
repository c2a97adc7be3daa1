#pragma once
#include <string>
#include <vector>

#include "clip/clip.h"
#include "format/run_result.h"

namespace heddle::clip {

std::string build_id_text(const format::ModuleReport& module);  // hex
std::string module_path(const format::ModuleReport& module);

// All modules that a run has loaded, in load order.
std::vector<ModuleIdentity> module_identities(const format::SessionResult& result);

// Model name of this machine's processor.
std::string processor_name();

// What differs here from where the clip was made, in words: libraries whose build-id is another one, the processor. The
// program itself and the modules that are instrumented are left out: they decide how a clip is replayed.
std::vector<std::string> find_foreign_parts(const ClipHead& head);

}  // namespace heddle::clip
