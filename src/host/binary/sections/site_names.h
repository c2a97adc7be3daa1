#pragma once
// Names of sites as text, where they come from rows and go into files. Beyond abi/site_name.h there is one more form,
// for a site whose name cannot be made again from its row: "...#<which>#=<hash>", sixteen digits.
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::binary {

// `name` with its occurrence replaced by the hash.
std::string name_with_hash(const std::string& name, std::uint64_t hash);

// What the runtime knows a name by.
std::uint64_t hash_of_site_name(const std::string& name);
// All of them, sorted, each once.
std::vector<std::uint64_t> site_name_hashes(const std::vector<std::string>& names);

}  // namespace heddle::binary
