/*
 * What a process has had of the machine: a processor's time, and how long it
 * stood in line for one.  For the rest of its life it slept, or was stopped.
 */
#ifndef LAB_PROCESS_TIME_H
#define LAB_PROCESS_TIME_H

#include <stdint.h>
#include <sys/types.h>

/* 0: it is gone. */
uint64_t process_used_ms(pid_t pid);
uint64_t process_used_us(pid_t pid);

/* Of its first thread, up to when it last got a processor.  0: it is gone, or
 * the system does not tell. */
uint64_t process_waited_ms(pid_t pid);

/* The clock, which stands still while the process waits for a processor. */
uint64_t process_clock_ms(pid_t pid);

#endif
