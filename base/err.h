/*
 * One vocabulary of errors for the whole project.
 *
 * A fallible function returns `enum err`; its results leave by pointer, last,
 * and are untouched on failure.  Where a person will read the reason, the
 * function also takes a `struct why` and fills one line: where, what was
 * found, what was expected.  A NULL why is allowed and ignored.
 *
 * The world's failures (a reset, a 503, a hung kernel) are data and have
 * their own enums; a broken promise between our own parts is fatalx().
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/units.h"
#include <stdarg.h>
#include <stddef.h>

enum err {
	ERR_OK,
	ERR_SYNTAX,   /* the input is not of the expected form */
	ERR_RANGE,    /* well formed, but a value is out of range */
	ERR_TOOBIG,   /* a cap was met */
	ERR_NOTFOUND, /* no such name, file or key */
	ERR_EXISTS,   /* the name or address is taken */
	ERR_DENIED,   /* refused by policy or permission */
	ERR_STATE,    /* not allowed in the present state */
	ERR_AGAIN,    /* nothing wrong, nothing yet */
	ERR_CLOSED,   /* the other side went away */
	ERR_TIMEOUT,  /* a deadline passed */
	ERR_IO,       /* the system said no; errno told why */
	ERR_ENV,      /* the machine lacks something (device, tool, feature) */
	ERR_NERRS
};

/* The exit codes of every program here. */
enum exit_code {
	EXIT_DONE = 0,   /* did what was asked */
	EXIT_JUDGED = 1, /* refused or failed by judgement */
	EXIT_USAGE = 2,  /* usage or bad input */
	EXIT_ENV = 3,    /* environment: no device, port taken, upstream dead */
};

#define WHY_MAX       512
#define WHY_WHOLE_MAX 9216 /* before it is fitted: two paths and a reason */

/* One line for a person.  Never holds a newline; longer text loses the middle
 * of its longest path (why_fit), or its end. */
struct why {
	char text[WHY_MAX];
};

/* "ok", "syntax", ...: for logs and tests, never parsed. */
const char *err_name(enum err e);

/* The exit code that fits an error: bad input 2, environment 3, else 1. */
enum exit_code err_exit_code(enum err e);

/*
 * Formats the reason into *why (when not NULL), cleaned as by why_clean(), and
 * returns e, so that a failure is one statement:
 *	return why_set(why, ERR_RANGE, "%s: port %ld: expected 0 to 65535",
 *	    where, port);
 */
enum err why_set(struct why *why, enum err e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* What is foreign gives a terminal no orders: control characters, and marks
 * of direction or of no width, become '?', byte by byte. */
void why_clean(char *text);

/*
 * The text in size bytes, its NUL among them.  What a long path would push out
 * is what the line is for, so a path that is
 * long gives way: "/home/...er.jsonl:2: torn".
 */
void why_fit(const char *text, char *out, size_t size);

/* Puts "prefix: " before the reason that *why already holds; returns e. */
enum err why_prefix(struct why *why, enum err e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
