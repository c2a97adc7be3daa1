#pragma once
// Defined by the program that opens libprim_meeting_constructor, used by the library's constructor.
#include <semaphore.h>

extern sem_t constructor_entered;
extern sem_t constructor_may_leave;
