/*
 * The parts of the report's page, in the order in which they are read.  Each
 * writes its own section; all foreign text passes html_text or html_field,
 * and nothing is called verified that the ledger does not say.
 */
#ifndef AGENT_PAGE_PARTS_H
#define AGENT_PAGE_PARTS_H

#include "agent/telling/run_report.h"
#include "base/buf.h"
#include <jansson.h>

/* Title, what is wrong with the evidence if anything is, the sentence that
 * says what happened, the scorecard, the scenario's expectations. */
void page_put_top(const struct run_report *r, struct buf *b);

/* Three lanes over the run's time: chaos, gateway, agent. */
void page_put_timeline(const struct run_report *r, struct buf *b);

/* An operator's card.  row: its element of scorecard.ops. */
void page_put_op(const struct run_report *r, json_t *row, struct buf *b);

/* From here on an error looks like a near miss: the page says what it is. */
#define PAGE_NEAR_BOUND 0.5

/* Why a try failed; nothing for one that did not.  record: NULL: lost. */
void page_put_failure(const json_t *record, const struct op_standing_try *t,
    struct buf *b);

/* Every case of an operator by every try, as a heat map of error over bound;
 * then the stages and the coverage behind the last try. */
void page_put_cases(const struct run_report *r, const struct op_standing *st,
    struct buf *b);

/* Calls, tokens and dollars by model; the ledger; the chains. */
void page_put_costs(const struct run_report *r, struct buf *b);
void page_put_evidence(const struct run_report *r, struct buf *b);

/* The record of a try ("1", "naive"), borrowed; NULL: none. */
json_t *page_record(const struct run_report *r, const char *op,
    const char *try);

#endif
