/* One operator's card in the report. */
#ifndef AGENT_PAGE_OP_H
#define AGENT_PAGE_OP_H

#include "agent/report.h"
#include "base/buf.h"
#include <jansson.h>

/* row: the operator's element of scorecard.ops. */
void page_put_op(const struct report *r, json_t *row, struct buf *b);

#endif
