#pragma once
// Orders two threads where a test wants a native crash, without changing the code that crashes: the library does
// nothing unless GATE=on, and then holds threads at numbered gates.
#ifdef __cplusplus
extern "C" {
#endif
void gate_open(int gate);  // whoever waits there, now or later, goes on
void gate_wait(int gate);
#ifdef __cplusplus
}
#endif
