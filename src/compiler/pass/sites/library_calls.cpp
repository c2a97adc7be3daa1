#include "pass/sites/library_calls.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>

#include <algorithm>

using namespace llvm;

namespace heddle::instrument {
namespace {

using Byte = std::uint8_t;

constexpr Effect reads(Byte argument, Extent extent, Byte a, Byte b = 0) {
  return {false, Origin::Argument, argument, extent, a, b};
}
constexpr Effect writes(Byte argument, Extent extent, Byte a, Byte b = 0) {
  Effect effect = reads(argument, extent, a, b);
  effect.writes = true;
  return effect;
}
constexpr Effect appends(Byte argument, Extent extent, Byte a, Byte b = 0) {
  Effect effect = writes(argument, extent, a, b);
  effect.origin = Origin::EndOfString;
  return effect;
}
constexpr Effect reads_string(Byte argument) { return reads(argument, Extent::String, argument); }
constexpr Effect reads_prefix(Byte argument, Byte bound) {
  return reads(argument, Extent::StringUpTo, argument, bound);
}
constexpr Effect reads_field(Byte argument, Byte offset, Byte size) {
  Effect effect = reads(argument, Extent::Fixed, size);
  effect.offset = offset;
  return effect;
}
constexpr Effect writes_field(Byte argument, Byte offset, Byte size) {
  Effect effect = reads_field(argument, offset, size);
  effect.writes = true;
  return effect;
}
constexpr Effect writes_behind(Byte argument, Byte pointer_offset, Byte offset, Byte size) {
  Effect effect = writes_field(argument, offset, size);
  effect.origin = Origin::Behind;
  effect.pointer_offset = pointer_offset;
  return effect;
}

struct Entry {
  StringRef functions;  // separated by blanks
  SmallVector<Effect, 6> effects;
};

// std::list's nodes are {next, prev}; nodes of std::map and std::set are {colour, parent, left, right}. Every change of
// a tree counts as a write of its header: the standard defines a race on the container, not on the node.
constexpr Byte kNext = 0, kPrevious = 8, kLink = 8, kListNode = 16;
constexpr Byte kParent = 8, kChildren = 16, kBothChildren = 16, kLinks = 24, kTreeNode = 32;

const Entry kEntries[] = {
    {"memcpy memmove mempcpy", {reads(1, Extent::Bytes, 2), writes(0, Extent::Bytes, 2)}},
    {"memset", {writes(0, Extent::Bytes, 2)}},
    {"bcopy", {reads(0, Extent::Bytes, 2), writes(1, Extent::Bytes, 2)}},
    {"bzero explicit_bzero", {writes(0, Extent::Bytes, 1)}},
    {"memcmp bcmp", {reads(0, Extent::Bytes, 2), reads(1, Extent::Bytes, 2)}},
    {"memchr", {reads(0, Extent::Found, 1, 2)}},
    {"memrchr", {reads(0, Extent::Bytes, 2)}},
    {"memmem", {reads(0, Extent::Bytes, 1), reads(2, Extent::Bytes, 3)}},
    {"wmemcpy wmemmove", {reads(1, Extent::Words, 2), writes(0, Extent::Words, 2)}},
    {"wmemset", {writes(0, Extent::Words, 2)}},
    {"wmemcmp", {reads(0, Extent::Words, 2), reads(1, Extent::Words, 2)}},

    {"strlen strchr strchrnul strrchr strdup puts fputs atoi atol atoll atof strtol strtoul strtoll "
     "strtoull strtod strtof strtold __isoc23_strtol __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull",
     {reads_string(0)}},
    {"strcmp strcasecmp strcoll strstr strcasestr strspn strcspn strpbrk", {reads_string(0), reads_string(1)}},
    {"strnlen strndup", {reads_prefix(0, 1)}},
    {"strncmp strncasecmp", {reads_prefix(0, 2), reads_prefix(1, 2)}},
    {"strcpy stpcpy", {reads_string(1), writes(0, Extent::String, 1)}},
    {"strncpy stpncpy", {reads_prefix(1, 2), writes(0, Extent::Bytes, 2)}},
    {"strcat", {reads_string(0), reads_string(1), appends(0, Extent::String, 1)}},
    {"strncat", {reads_string(0), reads_prefix(1, 2), appends(0, Extent::PrefixAndNul, 1, 2)}},
    {"fwrite fwrite_unlocked", {reads(0, Extent::Product, 1, 2)}},

    {"_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
     {writes_field(0, 0, kListNode), writes_field(1, kPrevious, kLink), writes_behind(1, kPrevious, kNext, kLink)}},
    {"_ZNSt8__detail15_List_node_base9_M_unhookEv",
     {reads_field(0, 0, kListNode), writes_behind(0, kNext, kPrevious, kLink),
      writes_behind(0, kPrevious, kNext, kLink)}},
    {"_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
     {writes_behind(2, kPrevious, kNext, kLink), writes_behind(1, kPrevious, kNext, kLink),
      writes_behind(0, kPrevious, kNext, kLink), writes_field(2, kPrevious, kLink), writes_field(1, kPrevious, kLink),
      writes_field(0, kPrevious, kLink)}},
    // Every node changes; the write of the header represents these changes.
    {"_ZNSt8__detail15_List_node_base10_M_reverseEv", {writes_field(0, 0, kListNode)}},
    {"_ZNSt8__detail15_List_node_base4swapERS0_S1_",
     {writes_behind(0, kNext, kPrevious, kLink), writes_behind(0, kPrevious, kNext, kLink),
      writes_behind(1, kNext, kPrevious, kLink), writes_behind(1, kPrevious, kNext, kLink),
      writes_field(0, 0, kListNode), writes_field(1, 0, kListNode)}},

    {"_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
     {writes_field(1, 0, kTreeNode), writes_field(2, kChildren, kBothChildren), writes_field(3, 0, kTreeNode)}},
    {"_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
     {writes_field(0, 0, kTreeNode), writes_behind(0, kParent, kChildren, kBothChildren),
      writes_field(1, 0, kTreeNode)}},
    {"_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base "
     "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
     {reads_field(0, kParent, kLinks)}},
};

constexpr PrintfCall kPrintfCalls[] = {
    {"printf", 0, false, false, false},        {"fprintf", 1, false, false, false},
    {"dprintf", 1, false, false, false},       {"syslog", 1, false, false, false},
    {"sprintf", 1, true, false, false},        {"snprintf", 2, true, true, false},
    {"vsprintf", 1, true, false, true},        {"vsnprintf", 2, true, true, true},
    {"__printf_chk", 1, false, false, false},  {"__fprintf_chk", 2, false, false, false},
    {"__dprintf_chk", 2, false, false, false}, {"__syslog_chk", 2, false, false, false},
    {"__sprintf_chk", 3, true, false, false},  {"__snprintf_chk", 4, true, true, false},
    {"__vsprintf_chk", 3, true, false, true},  {"__vsnprintf_chk", 4, true, true, true},
};

unsigned last_argument(const Effect& effect) {
  switch (effect.extent) {
    case Extent::Fixed:
      return effect.argument;
    case Extent::Bytes:
    case Extent::Words:
    case Extent::String:
      return std::max(effect.argument, effect.a);
    default:
      return std::max({effect.argument, effect.a, effect.b});
  }
}

StringMap<ArrayRef<Effect>> build_index() {
  StringMap<ArrayRef<Effect>> index;
  for (const Entry& entry : kEntries) {
    SmallVector<StringRef, 16> functions;
    entry.functions.split(functions, ' ');
    for (StringRef function : functions) index[function] = entry.effects;
  }
  return index;
}

}  // namespace

ArrayRef<Effect> find_library_effects(StringRef function, unsigned argument_count) {
  static const StringMap<ArrayRef<Effect>> index = build_index();
  // __memcpy_chk and similar functions take memcpy's arguments, followed by the size of the destination.
  if (function.starts_with("__") && function.ends_with("_chk")) function = function.drop_front(2).drop_back(4);
  const auto found = index.find(function);
  if (found == index.end()) return {};
  for (const Effect& effect : found->second)
    if (last_argument(effect) >= argument_count) return {};
  return found->second;
}

const PrintfCall* find_printf_call(StringRef function, unsigned argument_count) {
  for (const PrintfCall& call : kPrintfCalls)
    if (call.function == function && call.format < argument_count) return &call;
  return nullptr;
}

}  // namespace heddle::instrument
