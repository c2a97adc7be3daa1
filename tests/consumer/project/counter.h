#pragma once

// Two threads that call it at the same time may lose a count.
void count_up();
int count();
