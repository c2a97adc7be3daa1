#pragma once

namespace heddle::runtime::heap {

// A byte of freed memory is not as it was left: tells whoever asked to be told. The block must still be marked as
// freed.
void report_corruption(const void* address);

}  // namespace heddle::runtime::heap
