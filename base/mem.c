/*
 * Allocation that dies on out-of-memory.  The message goes out by write(2):
 * there may be no memory left for stdio.
 */
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn static void
die(void)
{
	static const char text[] = "out of memory\n";

	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		abort();
	abort();
}

static void *
check(void *p)
{
	if (!p)
		die();
	return p;
}

void *
xmalloc(size_t size)
{
	return check(malloc(size ? size : 1));
}

void *
xcalloc(size_t count, size_t size)
{
	if (count == 0 || size == 0)
		count = size = 1;
	return check(calloc(count, size));
}

void *
xreallocarray(void *p, size_t count, size_t size)
{
	if (count == 0 || size == 0)
		count = size = 1;
	return check(reallocarray(p, count, size));
}

char *
xstrdup(const char *s)
{
	return check(strdup(s));
}

char *
xstrndup(const char *s, size_t max)
{
	return check(strndup(s, max));
}

void *
xmemdup(const void *p, size_t len)
{
	void *copy = xmalloc(len);

	if (len > 0)
		memcpy(copy, p, len);
	return copy;
}

char *
xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

char *
xvasprintf(const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		die();
	return s;
}
