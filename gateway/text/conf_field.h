/*
 * A configuration map read by a table: a row per key with its type, range and
 * where the value goes.  Everything wrong is collected, not only the first:
 * unknown keys warn, wrong types and impossible values are errors, each with
 * file, line and the key's path.
 *
 * Values that are strings or nodes are borrowed from the tree.
 */
#ifndef GATEWAY_CONF_FIELD_H
#define GATEWAY_CONF_FIELD_H

#include "base/buf.h"
#include "gateway/text/yaml_tree.h"
#include <stddef.h>
#include <stdint.h>

/* ---- what was found */

struct findings {
	const char *file; /* borrowed */
	struct buf text;  /* "FILE:LINE: PATH: what\n" a finding */
	unsigned errors, warnings;
	char first_error[WHY_MAX]; /* without the newline */
	bool is_offline; /* only checking: the environment may be another */
};

void findings_init(struct findings *f, const char *file);
void findings_done(struct findings *f);
/* at NULL: the text says file and line itself. */
void findings_error(struct findings *f, const struct ynode *at, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));
void findings_warn(struct findings *f, const struct ynode *at, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));

/* ---- a set of HTTP statuses */

struct status_set {
	uint64_t bits[10]; /* 0 to 639 */
};

void status_set_add(struct status_set *s, int status);
bool status_set_has(const struct status_set *s, int status);

/* ---- rows */

enum cfield_type {
	CF_STRING,   /* const char *; printable, not empty */
	CF_TEXT,     /* the same in any letters */
	CF_INT,      /* int64_t within min..max */
	CF_REAL,     /* double within min..max */
	CF_BOOL,     /* bool */
	CF_ENUM,     /* int, index into names */
	CF_STATUSES, /* struct status_set: a list of "429" or 429 */
	CF_STRINGS,  /* const struct ynode *: a list of strings */
	CF_STRMAP,   /* const struct ynode *: a map to scalars */
	CF_MAP,      /* const struct ynode *: a map, read elsewhere */
	CF_LIST,     /* const struct ynode *: a list of maps, read elsewhere */
	CF_ANY,      /* const struct ynode * */
	CF_IGNORED,  /* known, without effect here */
	CF_NTYPES
};

struct cfield {
	const char *key;
	enum cfield_type type;
	bool required;
	double min, max;          /* CF_INT, CF_REAL */
	size_t offset;            /* into dst */
	const char *const *names; /* CF_ENUM: NULL-terminated */
};

/* Text, and no number, word of YAML's or list, unless in quotes. */
bool cfield_is_string(const struct ynode *n);

/*
 * Reads map by n rows into dst.  Absent keys leave dst as it was; so does a
 * value with an error.  A node that is no map is one error.
 */
void cfield_read(const struct ynode *map, const struct cfield *rows, size_t n,
    void *dst, struct findings *f);

#endif
