// libstdc++'s compiled list and tree helpers are range accesses to the nodes that they link.
// RUN: %compile -O2 %s | %FileCheck
#include <list>
#include <map>

// CHECK-LABEL: define internal {{.*}}@append.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(ptr {{.*}}, i64 16)
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(ptr {{.*}}, i64 8)
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(ptr {{.*}}, i64 8)
// CHECK: call void @_ZNSt8__detail15_List_node_base7_M_hookEPS0_
extern "C" void append(std::list<int>& list) { list.push_back(1); }

// CHECK-LABEL: define internal {{.*}}@remove.heddle_armed(
// CHECK: @__heddle_range
// CHECK: call void @_ZNSt8__detail15_List_node_base9_M_unhookEv
extern "C" void remove(std::list<int>& list) { list.pop_front(); }

// CHECK-LABEL: define internal {{.*}}@next.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(ptr {{.*}}, i64 24)
// CHECK: @_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base
extern "C" void next(std::map<int, int>::iterator& position) { ++position; }

// CHECK-LABEL: define internal {{.*}}@insert.heddle_armed(
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(ptr {{.*}}, i64 32)
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(ptr {{.*}}, i64 16)
// CHECK: call preserve_mostcc { i64, i64, i64 } @__heddle_range(ptr {{.*}}, i64 32)
// CHECK: call void @_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_
extern "C" void insert(std::map<int, int>& map, int key) { map.emplace(key, 0); }
