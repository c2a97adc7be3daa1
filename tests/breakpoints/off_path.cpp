// A small function with places, called once, in a loop: with breakpoints compiled in it is inlined as it is without.
#include <heddle/breakpoint.h>

struct Account {
  long balance;
  long changes;
};

namespace {

void change_balance(Account& account, long by) {
  HEDDLE_BREAKPOINT_HERE("reads", first().conflict(&account).bound(1));
  account.balance += by;
  HEDDLE_BREAKPOINT_HERE("looks", second().conflict(&account).ignore_first(3).timeout_ms(5000));
  HEDDLE_BREAKPOINT("counts", intruder(&account).when(by > 0).bound(1).timeout_ms(5000));
  ++account.changes;
}

}  // namespace

void change_often(Account& account, long times) {
  for (long i = 0; i < times; ++i) change_balance(account, i);
}
