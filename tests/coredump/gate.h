#pragma once
// Orders two threads so that a test crashes natively, without changes to the code that crashes: the library does
// nothing unless GATE=on, and then blocks threads at numbered gates.
#ifdef __cplusplus
extern "C" {
#endif
void gate_open(int gate);  // threads that wait at the gate, now or later, resume
void gate_wait(int gate);
#ifdef __cplusplus
}
#endif
