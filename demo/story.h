/*
 * A run as a story: beats in the order in which things happened, each a few
 * lines in one of two panes, the naive agent's and KernelForge's.
 *
 * A story is a function of the run directory alone, so the same run gives the
 * same beats, and of a run that goes on it only ever grows at its end: what
 * was shown stays true.  Nothing in it is invented; where the directory does
 * not say a thing, the beat is missing.
 */
#ifndef DEMO_STORY_H
#define DEMO_STORY_H

#include "demo/evidence.h"
#include <stddef.h>
#include <stdint.h>

/* What a line is about; how it looks is screen.c's. */
enum tone {
	TONE_PLAIN,
	TONE_DIM,   /* what matters less */
	TONE_HEAD,  /* an operator and its try */
	TONE_GOOD,  /* verified */
	TONE_BAD,   /* wrong, and known to be */
	TONE_DOUBT, /* looks right, and says little */
	TONE_FAULT, /* what chaos did */
	TONE_CAME,  /* a kernel's line as the model wrote it; what came whole */
	TONE_MADE,  /* the same line as chaos made it */
	TONE_ROUTE, /* what the gateway decided */
	TONE_NTONES
};

enum pane { PANE_NAIVE, PANE_FORGE, PANE_BOTH, PANE_NPANES };

/* What happens in a beat; `kf-view --beats` tells them by these names. */
enum beat_kind {
	BEAT_BEGIN,   /* who plays, and what the marks mean */
	BEAT_ASKED,   /* a model is asked for a kernel */
	BEAT_BACK,    /* of several side by side, the story comes back to one */
	BEAT_FAULT,   /* chaos struck the answer on its way */
	BEAT_RETRIED, /* the gateway absorbed it */
	BEAT_UNUSABLE, /* what came was no answer */
	BEAT_CHANGED,  /* chaos rewrote the kernel */
	BEAT_INTACT,   /* chaos was there, and left the kernel as it was */
	BEAT_SMOKE,
	BEAT_CLAIM, /* the naive agent's, and the truth about it */
	BEAT_HOLDOUTS,
	BEAT_CAUGHT,
	BEAT_TOLD, /* what of a failure the model hears, and what it does not */
	BEAT_STAGES,
	BEAT_VERIFIED,
	BEAT_JUDGED,    /* a claim of KernelForge, judged again afterwards */
	BEAT_REFUSED,   /* no try passed: nothing is claimed */
	BEAT_UNCLAIMED, /* a record says that it passed, and no ledger */
	BEAT_GAPS,      /* what of the run is missing */
	BEAT_END,
	BEAT_YOURS, /* what was planted, and how to run it oneself */
	BEAT_NKINDS
};

#define STORY_OP_BYTES 40

struct line {
	enum tone tone;
	const char *mark; /* one character before the text; static */
	char *text;       /* owned: printable ASCII, but for ticks */
};

struct beat {
	enum pane pane;
	enum beat_kind kind;
	char op[STORY_OP_BYTES]; /* "" for the end */
	int number;              /* the try, from 1; 0: none */
	bool is_update;          /* replaces the pane's last line */
	uint64_t at_ms;          /* when it comes, at the slow pace */
	uint32_t hold_ms;        /* how long it stands then */
	const char *explain; /* one sentence for who sees this first; static */
	struct line *lines;  /* owned */
	size_t nlines;
	size_t ndetails; /* of its lines, the last ones: what an older beat
	                  * leaves out where room is short */
	size_t ntable;   /* of its lines, the last ones: a table, a head and
	                  * rows, whose halves may stand side by side */
	/* By pane: the number, from 1, of its last beat up to and with this
	 * one; 0: none.  So a pane is read backwards without the other's. */
	size_t newest[PANE_NPANES];
};

/* A row of the four-row scorecard. */
struct score_row {
	const char *label;
	char naive[64], forge[64];
};

#define STORY_SCORE_ROWS 4

struct story {
	struct beat *beats; /* owned */
	size_t nbeats;
	bool is_over; /* the run has ended, and its end is among the beats */
	bool is_scored;
	bool has_chaos;  /* a chaos proxy was there */
	char title[128]; /* "rope_demo, seed 42" */
	char alarm[256]; /* what is wrong with the evidence itself, or "" */
	struct score_row score[STORY_SCORE_ROWS];
};

/* Reads what is there; the story of a folder that holds no run is empty.  Of
 * a run that goes on the end is not told yet: its last figures may change. */
void story_read(struct evidence *ev, bool goes_on, struct story *ret);
void story_done(struct story *s);

/* What a span is about, read from its attributes. */
struct subject {
	enum pane pane;
	const char *role, *op;
	char iteration[16]; /* "1", or "naive": its record's name */
	int number;         /* the iteration, from 1 */
};

/*
 * For the parts of the story, story_answer.c and story_lab.c: a new beat at
 * the end, good until the next one is begun; and a line of it, whose text is
 * made safe to show: what is not printable ASCII becomes '?'.
 */
struct beat *story_beat(struct story *s, const struct subject *about,
    enum beat_kind kind, uint32_t hold_ms, const char *explain);
/* The line that says whose try a beat is of. */
void story_head(struct beat *b);
void story_line(struct beat *b, enum tone tone, const char *mark,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* All its lines but the first `kept` are details. */
void story_fold(struct beat *b, size_t kept);

/* Beats of an answer that arrived: the asking, faults on its way, what the
 * gateway did about them, what chaos made of the kernel. */
void story_answer(struct story *s, struct evidence *ev,
    const struct subject *about, size_t nth, const json_t *span);

/* Beats of what the lab found, from the kernel's record. */
void story_lab(struct story *s, struct evidence *ev,
    const struct subject *about, const json_t *span);

/* Beat of the naive agent's claim, and of the truth about it. */
void story_claim(struct story *s, struct evidence *ev, const char *op);

/* KernelForge is done with an operator: told where no try passed. */
void story_refused(struct story *s, struct evidence *ev, const char *op);

/* Of a run that has ended: what it came to, and what of it was planted. */
void story_end(struct story *s, const struct evidence *ev);
void story_yours(struct story *s, const struct evidence *ev);

/* Who plays the models where none was asked; NULL: they were asked, or the run
 * does not say. */
struct played_models {
	const char *answers; /* run.json's word */
	const char *title;   /* "scripted models" */
	const char *who;     /* "script": what goes by a model's name */
	const char *asked;   /* "scripts asked" */
	const char *planted; /* what of them was made by us */
	const char *mistake; /* a kernel that came wrong, and not by chaos */
};
const struct played_models *story_played(const struct evidence *ev);

/* Are their mistakes ours too? */
bool story_is_scripted(const struct evidence *ev);

/* A model as it may be called: one that is played is no model, so its name
 * stands in quotes, behind what it is. */
#define STORY_MODEL_MAX 80
void story_model(const struct evidence *ev, const char *name,
    char out[STORY_MODEL_MAX]);

/* A mistake that is not chaos's doing, in words. */
const char *story_own_mistake(const struct evidence *ev);

/* A text made safe to show, in place: what is not printable ASCII is '?'. */
void story_make_safe(char *text);

/* "naive", "forge", "both"; "asked", "changed", ... */
const char *story_pane_name(enum pane pane);
const char *story_kind_name(enum beat_kind kind);

/* Was the kernel of this answer changed on its way?  Of which try: about's
 * own number, or another. */
bool story_is_corrupted(const struct evidence *ev, const struct subject *about,
    int number);

/* Did chaos change the first answers of both agents to an operator in the same
 * way, or neither? */
bool story_is_struck_alike(const struct evidence *ev, const char *op);

#endif
