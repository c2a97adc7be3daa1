// Loops whose condition calls what may throw, and loops that lend their variable to others.
// RUN: HEDDLE_HOOKS=iterations %compile -O1 %s | %FileCheck

struct Columns {
  Columns();
  ~Columns();
  unsigned long size() const;
};
void set(unsigned long);
inline void look_at(const unsigned long& column) { set(column); }
inline void change(unsigned long& column) { set(column); }

// CHECK: c"iterations_of_objects.cpp:[[# @LINE + 6]] asks_each_time\00", section "heddle_loops"
// CHECK: c"iterations_of_objects.cpp:[[# @LINE + 9]] lends_it_to_be_read\00", section "heddle_loops"
// CHECK: c"each iterations_of_objects.cpp:[[# @LINE + 12]] lends_it_to_be_changed\00", section "heddle_loops"

void asks_each_time() {
  Columns columns;
  for (unsigned long i = 0; i < columns.size(); ++i) set(i);
}

void lends_it_to_be_read(unsigned long limit) {
  for (unsigned long i = 0; i < limit; ++i) look_at(i);
}

void lends_it_to_be_changed(unsigned long limit) {
  for (unsigned long i = 0; i < limit; ++i) change(i);
}
