// Annotations with which a program describes itself to Heddle. Without Heddle they cost nothing and need no library.
#ifndef HEDDLE_ANNOTATE_H
#define HEDDLE_ANNOTATE_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((weak)) void heddle_region_begin(const char* name);
__attribute__((weak)) void heddle_region_end(const char* name);
__attribute__((weak)) int heddle_iteration_begin(const char* name);
__attribute__((weak)) void heddle_iteration_end(const char* name);

#ifdef __cplusplus
}

namespace heddle {

class Region {
 public:
  explicit Region(const char* name) : name_(name) {
    if (heddle_region_begin) heddle_region_begin(name_);
  }
  ~Region() {
    if (heddle_region_end) heddle_region_end(name_);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  const char* name_;
};

}  // namespace heddle

#define HEDDLE_JOIN_AGAIN(a, b) a##b
#define HEDDLE_JOIN(a, b) HEDDLE_JOIN_AGAIN(a, b)
// The code from here to the end of the block is intended to be atomic.
#define HEDDLE_ATOMIC(name) const ::heddle::Region HEDDLE_JOIN(heddle_region_, __LINE__)(name)
#endif

// The same for C, or for a region that is not a block.
#define HEDDLE_ATOMIC_BEGIN(name) (heddle_region_begin ? heddle_region_begin(name) : (void)0)
#define HEDDLE_ATOMIC_END(name) (heddle_region_end ? heddle_region_end(name) : (void)0)

// HEDDLE_REPEAT("one request") { ... }: the block is repeated, and shrinking a failing execution may skip some of its
// iterations. REQUIRES: no break, continue, goto or return leaves the block.
#define HEDDLE_REPEAT(name)                                                                     \
  for (int heddle_more = (__extension__({                                                       \
         static const char heddle_name[] __attribute__((section("heddle_loops"), used)) = name; \
         (void)heddle_name;                                                                     \
         !(heddle_iteration_begin && heddle_iteration_begin(name));                             \
       }));                                                                                     \
       heddle_more; heddle_more = 0, heddle_iteration_end ? heddle_iteration_end(name) : (void)0)

// The accesses on this line and on the next race intentionally: no finding names them. The reason is for readers only.
#define HEDDLE_BENIGN(reason) ((void)0)

#endif
