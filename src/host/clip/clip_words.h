#pragma once
// Words that the reader and the writer of clips share.
#include <array>
#include <string_view>
#include <utility>

#include "format/run_config.h"

namespace heddle::clip {

inline constexpr std::string_view kClipKey = "heddle_clip";
inline constexpr std::string_view kHexKey = "hex";  // {"hex": "..."}: a string that is not UTF-8

inline constexpr std::array<std::pair<format::EngineKind, std::string_view>, 2> kEngineWords{{
    {format::EngineKind::Fiber, "fiber"},
    {format::EngineKind::Thread, "thread"},
}};

inline constexpr std::array<std::pair<format::ArmMode, std::string_view>, 4> kArmModeWords{{
    {format::ArmMode::All, "all"},
    {format::ArmMode::None, "none"},
    {format::ArmMode::Only, "only"},
    {format::ArmMode::AllBut, "all_but"},
}};

}  // namespace heddle::clip
