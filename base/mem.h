/*
 * Allocation that dies on out-of-memory, so that small allocations need no
 * error path.  Every size that comes from outside meets a cap *before* it
 * reaches these functions.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "base/units.h"
#include <stdarg.h>
#include <stddef.h>

/* Like malloc and friends; never return NULL; a size of 0 gets one byte. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *p, size_t count, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t max);
void *xmemdup(const void *p, size_t len);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap)
    __attribute__((format(printf, 1, 0)));

#endif
