#pragma once
#include <string>

#include "report/run_json.h"
#include "slice/clip_slicer.h"

namespace heddle::report {

Json slice_json(const slice::ClipSlice& slice);
std::string slice_text(const slice::ClipSlice& slice);

}  // namespace heddle::report
