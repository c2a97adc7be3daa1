#pragma once
// Site names as text. Extends abi/site_name.h by one form, for a site whose row does not determine its name:
// "...#<which>#=<hash>", with sixteen digits.
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::binary {

// `name` with its occurrence replaced by the hash.
std::string name_with_hash(const std::string& name, std::uint64_t hash);

// The hash by which the runtime identifies a name.
std::uint64_t hash_of_site_name(const std::string& name);
// The hashes of all names, sorted, without duplicates.
std::vector<std::uint64_t> site_name_hashes(const std::vector<std::string>& names);

}  // namespace heddle::binary
