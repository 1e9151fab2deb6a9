/*
 * The error vocabulary's texts and the one-line reasons.  A reason may quote
 * bytes from outside, so control bytes are replaced before anybody prints it,
 * and secrets are masked before it is cut.
 */
#include "base/err.h"

#include "base/mask.h"
#include <stdio.h>
#include <string.h>

#define DOTS       "..."
#define SHORT_PATH 4 /* of the room: it is not what is too long */

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

/* Characters that are orders to who shows a text: C1 controls, marks of
 * direction and of no width, line separators; first byte to last, of one
 * lead. */
/* clang-format off */
static const struct {
	const char *lead;
	unsigned char from, upto;
} orders[] = {
	{ "\xc2",     0x80, 0x9f },
	{ "\xd8",     0x9c, 0x9c },
	{ "\xe2\x80", 0x8b, 0x8f },
	{ "\xe2\x80", 0xa8, 0xae },
	{ "\xe2\x81", 0xa0, 0xaf },
	{ "\xef\xbb", 0xbf, 0xbf },
};
/* clang-format on */

/* The bytes of the order that begins at p; 0: none does. */
static size_t
order_at(const char *p)
{
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		size_t n = strlen(orders[i].lead);
		unsigned char last;

		if (strncmp(p, orders[i].lead, n) != 0)
			continue;
		last = (unsigned char)p[n];
		if (last >= orders[i].from && last <= orders[i].upto)
			return n + 1;
	}
	return 0;
}

void
why_clean(char *text)
{
	for (; *text; text++) {
		size_t n = (unsigned char)*text < 0x20 || *text == 0x7f
		    ? 1
		    : order_at(text);

		if (n == 0)
			continue;
		memset(text, '?', n);
		text += n - 1;
	}
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

/* The longest word with a slash; *ret_n: its length, 0: there is none. */
static const char *
longest_path(const char *text, size_t *ret_n)
{
	const char *found = text;

	*ret_n = 0;
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, " ");

		if (n > *ret_n && memchr(p, '/', n)) {
			found = p;
			*ret_n = n;
		}
		p += n + strspn(p + n, " ");
	}
	return found;
}

/* Not within the bytes of one character. */
static const char *
whole_character(const char *p)
{
	while (((unsigned char)*p & 0xc0) == 0x80)
		p++;
	return p;
}

void
why_fit(const char *text, char *out, size_t size)
{
	size_t len = strlen(text), n, over = len + sizeof DOTS - size;
	const char *path = longest_path(text, &n), *cut, *rest;

	if (len < size || n <= over || n <= size / SHORT_PATH) {
		(void)snprintf(out, size, "%s", text);
		return;
	}
	cut = path + (n - over) / 2;
	rest = whole_character(cut + over);
	while (cut > path && ((unsigned char)*cut & 0xc0) == 0x80)
		cut--;
	(void)snprintf(out, size, "%.*s" DOTS "%s", (int)(cut - text), text,
	    rest);
}

enum err
why_set(struct why *why, enum err e, const char *fmt, ...)
{
	char whole[WHY_WHOLE_MAX];
	va_list ap;

	if (!why)
		return e;
	va_start(ap, fmt);
	mask_vformat(whole, sizeof whole, fmt, ap);
	va_end(ap);
	why_fit(whole, why->text, sizeof why->text);
	why_clean(why->text);
	return e;
}

enum err
why_prefix(struct why *why, enum err e, const char *fmt, ...)
{
	char prefix[WHY_WHOLE_MAX];
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
