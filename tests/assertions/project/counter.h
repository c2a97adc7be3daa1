#pragma once
#ifdef __cplusplus
extern "C" {
#endif
// Two threads that call it at the same time may lose a count.
void count_up(void);
int count(void);
#ifdef __cplusplus
}
#endif
