/*
 * scorecard.json against what it is made of.  It is derived, so nothing anchors
 * it; but its figures are what a viewer remembers.
 */
#ifndef DEMO_EVIDENCE_SCORE_H
#define DEMO_EVIDENCE_SCORE_H

#include "demo/evidence.h"

/* Do claims and what was right of them follow from the baseline's journal, the
 * ledger and the records?  Only of a run that has ended; true where not all of
 * these are there. */
bool evidence_score_follows(struct evidence *ev);

#endif
