#pragma once
// Words that the reader and the writer of clips share.
#include "format/run_config.h"
#include "support/enum_words.h"

namespace heddle::clip {

inline constexpr std::string_view kClipKey = "heddle_clip";
inline constexpr std::string_view kHexKey = "hex";  // {"hex": "..."}: a string that is not UTF-8

inline constexpr EnumWords<format::EngineKind, 2> kEngineWords{{
    {format::EngineKind::Fiber, "fiber"},
    {format::EngineKind::Thread, "thread"},
}};

inline constexpr EnumWords<format::ArmMode, 4> kArmModeWords{{
    {format::ArmMode::All, "all"},
    {format::ArmMode::None, "none"},
    {format::ArmMode::Only, "only"},
    {format::ArmMode::AllBut, "all_but"},
}};

}  // namespace heddle::clip
