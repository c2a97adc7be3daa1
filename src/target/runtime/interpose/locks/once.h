#pragma once
// The scheduler's side of pthread_once, for once.c.
#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

int heddle_once_controlled(void);
int heddle_once_real(pthread_once_t* control, void (*routine)(void));
// 1: the caller must run the routine; 0: the routine has run.
int heddle_once_begin(pthread_once_t* control);
void heddle_once_end(pthread_once_t* control);
void heddle_once_give_up(pthread_once_t* control);

#ifdef __cplusplus
}
#endif
