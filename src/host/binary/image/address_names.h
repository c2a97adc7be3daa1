#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "binary/debug_info/debug_view.h"

namespace heddle::binary {

struct AddressName {
  std::string name;
  bool is_owned = true;  // false: named by its type, as "Job.next", because only local pointers lead to it
};

// Names the memory at these addresses by the variable that contains it or leads to it: "table.head->count",
// "main::runtime.total". An address that no variable leads to has no entry.
std::map<std::uint64_t, AddressName> name_addresses(DebugView& view, const std::vector<std::uint64_t>& addresses);

}  // namespace heddle::binary
