#pragma once

extern "C" {
// Starts `threads` threads that count `rounds` each; returns the sum of all calls so far.
int library_count(int threads, int rounds);
// How often the calling thread has called this.
int library_calls_of_this_thread();
// How many threads' locals the library has destroyed.
int library_locals_destroyed();
}
