/*
 * The machine's own table of names, read now and without asking anybody.
 *
 * Where a program may listen is a name of this machine, and this table knows
 * those.  The resolver of the C library would ask DNS for the others, and
 * block the loop for as long as nobody answers.
 */
#ifndef BASE_HOSTS_H
#define BASE_HOSTS_H

#include "base/addr.h"
#include <stdbool.h>

#define HOSTS_FILE "/etc/hosts"

/* The first address that file gives name (in any case), in numbers. */
bool hosts_find(const char *file, const char *name, char ret[ADDR_HOST_MAX]);

#endif
