#pragma once
#include <string>
#include <utility>
#include <vector>

#include "binary/sections/site_table.h"
#include "run/run_options.h"
#include "run/runner.h"
#include "support/result.h"
#include "trace/sharing/shared_sites.h"

namespace heddle::run {

// The names of the sites before which no other thread matters (docs/design/010_sharing.md). The optimiser makes several
// sites of one access in the source - the body of a vectorised loop, its remainder, unrolled copies - and a run need
// not come to all of them: they are judged together, private when one was seen and none at shared memory. A site of
// which no copy was seen is not among them.
using NumberedSites = std::vector<std::pair<SiteId, const binary::Site*>>;
std::vector<std::string> sites_to_disarm(const trace::SharedSites& found, const NumberedSites& sites);

// A profile run with everything armed and recorded finds out which sites touch shared memory. Leaves in `options` an
// armed set without those that were seen and never did; sites that were not seen stay armed. Returns how many were
// disarmed.
Result<std::size_t> arm_shared_sites(RunOptions& options, Runner& runner);

}  // namespace heddle::run
