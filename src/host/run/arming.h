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

// Names of the sites that accessed private memory only, so that no switch is needed before them
// (docs/design/010_sharing.md). The optimiser turns one access in the source into several sites (the body of a
// vectorised loop, its remainder, unrolled copies), and a run need not reach all of these. Such sites share one
// verdict: private if at least one was reached and none accessed shared memory. Sites without a reached copy stay
// armed.
using NumberedSites = std::vector<std::pair<SiteId, const binary::Site*>>;
std::vector<std::string> sites_to_disarm(const trace::SharedSites& found, const NumberedSites& sites);

// Makes a profile run with all sites armed and recorded, and removes from the armed set in `options` the sites that
// accessed private memory only. Returns their number.
Result<std::size_t> arm_shared_sites(RunOptions& options, Runner& runner);

}  // namespace heddle::run
