/*
 * Corruption operators: rewrites of OpenCL C that still compile, still pass
 * the smoke test, and are wrong (chaos.md section 5).  Text in, text out, no
 * I/O; used by the chaos proxy on live answers and by `kernelforge mutants`.
 *
 * An operator is one file corruption_NAME.c in this folder and one registry
 * row: it finds its sites in a token stream and names the edit of each.
 */
#ifndef CLTEXT_CORRUPTION_H
#define CLTEXT_CORRUPTION_H

#include "base/err.h"
#include <stddef.h>
#include <stdint.h>

struct clcode;

#define CORRUPT_EDITS_MAX 16

/* Longer code has no sites: operators look back and forth in it, and what a
 * model sends must not cost seconds.  Real kernels have some hundreds. */
#define CORRUPT_TOKENS_MAX 4096

/* Replace source[at .. at+len) by text. */
struct corrupt_edit {
	uint32_t at, len;
	char *text; /* owned */
};

struct corrupt_site {
	uint32_t line; /* from 1, of the first edit */
	struct corrupt_edit edits[CORRUPT_EDITS_MAX]; /* ascending, disjoint */
	size_t nedits;
};

struct corrupt_sites {
	struct corrupt_site *items; /* owned */
	size_t n;
};

struct corrupt_operator {
	const char *name;    /* "rope_interleaved" */
	const char *rewrite; /* what it does, one line */
	const char
	    *invisible;    /* when mutant and original agree: the contract */
	const char *shows; /* when they differ: the witness */
	/* Appends this operator's sites, in source order. */
	void (*find)(const struct clcode *c, struct corrupt_sites *sites);
};

size_t corrupt_count(void);
const struct corrupt_operator *corrupt_at(size_t i); /* sorted by name */
const struct corrupt_operator *corrupt_find(const char *name);

/* All sites of op in source; free with corrupt_sites_done. */
void corrupt_sites_find(const struct corrupt_operator *op, const char *source,
    size_t source_bytes, struct corrupt_sites *ret);
void corrupt_sites_done(struct corrupt_sites *s);

/* The source with one site's edits applied, owned. */
char *corrupt_apply(const char *source, size_t source_bytes,
    const struct corrupt_site *site);

#endif
