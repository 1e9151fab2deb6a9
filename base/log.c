/*
 * The log.  One line is one write(2), so that lines of several processes on
 * one terminal do not mix.
 */
#include "base/log.h"

#include "base/err.h"
#include "base/mask.h"
#include "base/terminal.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	const char *colour;
} levels[] = {
	[LOG_LEVEL_ERROR] = { "error", "\033[31m" },
	[LOG_LEVEL_WARN] = { "warn", "\033[33m" },
	[LOG_LEVEL_INFO] = { "info", "" },
	[LOG_LEVEL_DEBUG] = { "debug", "\033[2m" },
};

static const char *log_program = "kernelforge";
static enum log_level log_most = LOG_LEVEL_INFO;
static bool log_coloured;

void
log_init(const char *program, enum log_level level)
{
	log_program = program;
	log_most = level;
	log_coloured = terminal_is_coloured(stderr);
}

bool
log_has_debug(void)
{
	return log_most >= LOG_LEVEL_DEBUG;
}

static void
put(const char *line, size_t n)
{
	while (n > 0) {
		ssize_t w = write(STDERR_FILENO, line, n);

		if (w <= 0)
			return;
		line += w;
		n -= (size_t)w;
	}
}

static void __attribute__((format(printf, 3, 0)))
log_line(enum log_level level, const char *subject, const char *fmt, va_list ap)
{
	char whole[WHY_WHOLE_MAX], phrase[1024], line[1280];
	int n;

	if (level > log_most)
		return;
	mask_vformat(whole, sizeof whole, fmt, ap);
	why_fit(whole, phrase, sizeof phrase);
	why_clean(phrase);
	n = snprintf(line, sizeof line, "%s%s %s %s: %s%s\n",
	    log_coloured ? levels[level].colour : "", log_program,
	    levels[level].name, subject, phrase,
	    log_coloured && *levels[level].colour ? "\033[0m" : "");
	if (n > 0)
		put(line,
		    (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

void
log_error(const char *subject, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_LEVEL_ERROR, subject, fmt, ap);
	va_end(ap);
}

void
log_warn(const char *subject, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_LEVEL_WARN, subject, fmt, ap);
	va_end(ap);
}

void
log_info(const char *subject, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_LEVEL_INFO, subject, fmt, ap);
	va_end(ap);
}

void
log_debug(const char *subject, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_LEVEL_DEBUG, subject, fmt, ap);
	va_end(ap);
}

_Noreturn void
fatalx(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_LEVEL_ERROR, "broken promise", fmt, ap);
	va_end(ap);
	abort();
}
