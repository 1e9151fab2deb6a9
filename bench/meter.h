/*
 * What another process costs, read from outside: its CPU time, its resident
 * memory, its open descriptors.  And the middle of many samples.
 */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

uint64_t meter_cpu_us(pid_t pid);  /* user and system, all its threads */
uint64_t meter_rss_kib(pid_t pid); /* 0: no such process */
uint64_t meter_fds(pid_t pid);

/* Sorts v, and gives the value below which `percent` of them lie. */
uint64_t meter_percentile(uint64_t *v, size_t n, double percent);

#endif
