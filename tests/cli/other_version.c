// Registers itself as a module that a heddle-cc of another time has compiled.
#include "abi/hooks.h"

int main(void) {
  struct HeddleSite site = {0};
  uint8_t armed[2] = {0, 0};
  __heddle_register_module(&site, &site + 1, armed, armed + 2, HEDDLE_ABI_VERSION - 1);
  return 0;
}
