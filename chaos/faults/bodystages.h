/*
 * Stages of the fault `body` that need more than a text edit.
 */
#ifndef CHAOS_BODYSTAGES_H
#define CHAOS_BODYSTAGES_H

#include "chaos/http/stage.h"
#include "chaos/rules/engine.h"

/* The body ends after n bytes; bypassed when it is not longer. */
struct stage *truncate_stage_new(struct shot *s, struct exchange *x, uint64_t n,
    enum item_end how);

/* A page in the body's place. */
struct stage *html_stage_new(struct shot *s, struct exchange *x);

enum gzip_kind { GZIP_CRC, GZIP_CUT, GZIP_PLAIN };

/* body_gzip.c: a gzip coding that cannot be undone. */
struct stage *gzip_stage_new(struct shot *s, struct exchange *x,
    enum gzip_kind kind);

#endif
