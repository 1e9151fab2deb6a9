/*
 * What `kf-chaos ctl` shows of an answer of the admin API: proxies as a table,
 * one proxy with its toxics, a toxic as a line, anything else as it is.
 */
#ifndef CHAOS_CTL_PRINT_H
#define CHAOS_CTL_PRINT_H

#include "base/slice.h"
#include <stdio.h>

void ctl_print(struct slice answer, FILE *out);

#endif
