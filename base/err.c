/*
 * The error vocabulary's texts and the one-line reasons.  A reason may quote
 * bytes from outside, so control bytes are replaced before anybody prints it.
 */
#include "base/err.h"

#include <stdio.h>
#include <string.h>

static const char *const err_names[ERR_NERRS] = {
	[ERR_OK] = "ok",
	[ERR_SYNTAX] = "syntax",
	[ERR_RANGE] = "out of range",
	[ERR_TOOBIG] = "too big",
	[ERR_NOTFOUND] = "not found",
	[ERR_EXISTS] = "already exists",
	[ERR_DENIED] = "denied",
	[ERR_STATE] = "wrong state",
	[ERR_AGAIN] = "try again",
	[ERR_CLOSED] = "closed",
	[ERR_TIMEOUT] = "timeout",
	[ERR_IO] = "input/output error",
	[ERR_ENV] = "environment",
};

static const enum exit_code err_exits[ERR_NERRS] = {
	[ERR_OK] = EXIT_DONE,
	[ERR_SYNTAX] = EXIT_USAGE,
	[ERR_RANGE] = EXIT_USAGE,
	[ERR_TOOBIG] = EXIT_USAGE,
	[ERR_NOTFOUND] = EXIT_USAGE,
	[ERR_EXISTS] = EXIT_ENV,
	[ERR_DENIED] = EXIT_ENV,
	[ERR_STATE] = EXIT_JUDGED,
	[ERR_AGAIN] = EXIT_JUDGED,
	[ERR_CLOSED] = EXIT_ENV,
	[ERR_TIMEOUT] = EXIT_ENV,
	[ERR_IO] = EXIT_ENV,
	[ERR_ENV] = EXIT_ENV,
};

void
why_clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

const char *
err_name(enum err e)
{
	return (unsigned)e < ERR_NERRS ? err_names[e] : "unknown";
}

enum exit_code
err_exit_code(enum err e)
{
	return (unsigned)e < ERR_NERRS ? err_exits[e] : EXIT_JUDGED;
}

enum err
why_set(struct why *why, enum err e, const char *fmt, ...)
{
	va_list ap;

	if (!why)
		return e;
	va_start(ap, fmt);
	(void)vsnprintf(why->text, sizeof why->text, fmt, ap);
	va_end(ap);
	why_clean(why->text);
	return e;
}

enum err
why_prefix(struct why *why, enum err e, const char *fmt, ...)
{
	char prefix[WHY_MAX];
	struct why old;
	va_list ap;

	if (!why)
		return e;
	old = *why;
	va_start(ap, fmt);
	(void)vsnprintf(prefix, sizeof prefix, fmt, ap);
	va_end(ap);
	return why_set(why, e, "%s: %s", prefix, old.text);
}
