#pragma once
// Communication contexts of Bugaboo (section 3.3): the last events of a thread, at any address.
#include <cstdint>

namespace heddle::graph_rules {

enum class Event : std::uint32_t {
  LocalRead = 1,    // LcRd: it reads what another thread wrote last
  LocalWrite = 2,   // LcWr: it writes what another thread wrote last, or has read since
  RemoteRead = 3,   // RmRd: another thread reads what it wrote last
  RemoteWrite = 4,  // RmWr: another thread writes what it wrote or read last
};

inline constexpr unsigned kEventBits = 3;
inline constexpr unsigned kContextSizeMax = 8;
inline constexpr unsigned kContextSizeDefault = 5;

// Three bits per event, the latest lowest, zeros above the first event. The low 3 k bits are the last k events.
using Context = std::uint32_t;

constexpr Context context_mask(unsigned size) { return (Context{1} << kEventBits * size) - 1; }
constexpr Context push(Context context, Event event, Context mask) {
  return (context << kEventBits | static_cast<Context>(event)) & mask;
}
static_assert(context_mask(kContextSizeMax) == 0xffffff, "a context is 24 bits wherever it is stored");

}  // namespace heddle::graph_rules
