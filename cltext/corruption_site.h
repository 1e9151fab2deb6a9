/*
 * For the operators in this folder only: how a site is made.
 */
#ifndef CLTEXT_CORRUPTION_SITE_H
#define CLTEXT_CORRUPTION_SITE_H

#include "cltext/clcode.h"
#include "cltext/corruption.h"
#include <stdbool.h>

/* Appends an empty site; borrowed until the next call. */
struct corrupt_site *corrupt_site_new(struct corrupt_sites *s, uint32_t line);

/*
 * Adds the replacement of source[at .. end) by a copy of text, in order.
 * False, and nothing added, when there is no room or it would overlap.
 */
bool corrupt_site_edit(struct corrupt_site *site, uint32_t at, uint32_t end,
    const char *text);

/* Appends a site of one edit: code tokens from .. end-1 become text. */
void corrupt_site_tokens(struct corrupt_sites *s, const struct clcode *c,
    size_t from, size_t end, const char *text);
/* The same, a site each form: "$" in it is what stood there. */
void corrupt_site_forms(struct corrupt_sites *s, const struct clcode *c,
    size_t from, size_t end, const char *const *forms, size_t n);
/* The same, "@" in a form is name. */
void corrupt_site_named_forms(struct corrupt_sites *s, const struct clcode *c,
    size_t from, size_t end, const char *const *forms, size_t n,
    const char *name);
/* The same for the value of every kf_store() of the kernel, and for every call
 * of kf_load(). */
void corrupt_site_stores(struct corrupt_sites *s, const struct clcode *c,
    const char *const *forms, size_t n, const char *name);
void corrupt_site_loads(struct corrupt_sites *s, const struct clcode *c,
    const char *const *forms, size_t n);
/* The same, text put in front of code token at. */
void corrupt_site_insert(struct corrupt_sites *s, const struct clcode *c,
    size_t at, const char *text);

/* The same, the tokens and the blanks before (after) them taken out. */
void corrupt_site_cut_back(struct corrupt_sites *s, const struct clcode *c,
    size_t from, size_t end);
void corrupt_site_cut_on(struct corrupt_sites *s, const struct clcode *c,
    size_t from, size_t end);

/* The source from code token from to end-1, owned. */
char *corrupt_code_text(const struct clcode *c, size_t from, size_t end);

/* Takes the last site back. */
void corrupt_site_drop(struct corrupt_sites *s);

#endif
