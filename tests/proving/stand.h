/*
 * The witness stand: runs a kernel on one scene, outside the lab, and says
 * whether the contract is broken there.
 *
 * It shares nothing with a verdict but the compiler, the prelude and the
 * operators' references: its own process, buffers, guard pages and fillings.
 * So what it proves wrong is wrong whatever the verifier thinks.
 */
#ifndef TESTS_PROVING_STAND_H
#define TESTS_PROVING_STAND_H

#include "tests/proving/scene.h"

struct stand;

/* Opens the device in this process; work: an existing folder, where the
 * compiler keeps its files.  ERR_ENV: no device. */
enum err stand_open(const char *work, struct stand **ret, struct why *why);
void stand_close(struct stand *s); /* NULL-safe */

enum stand_says {
	STAND_RIGHT,
	STAND_WRONG,    /* values, gaps or bounds: *what says which */
	STAND_NO_BUILD, /* or no launch: nothing can be said */
	STAND_NSAYS
};

struct stand_finding {
	char what[96];
	double ratio; /* of the worst value; infinity: not even finite */
};

/*
 * Runs c on the scene from several fillings of its output; with backwards the
 * work items are numbered from the end, which shows what leans on their
 * order.
 */
enum stand_says stand_try(struct stand *s, const struct candidate *c,
    const struct scene *on, bool backwards, struct stand_finding *ret);

/*
 * One build that is launched on many scenes of the same sizes and storage, and
 * that may read at each launch which one of its variants is meant: building
 * costs more than all the rest.  What it finds is where to look: only
 * stand_try() proves.
 */
struct stand_menu;

/* C of an unsigned: the choice that stand_menu_try() was given. */
const char *stand_choice(const struct stand *s);
/* NULL: no process.  on: one of the scenes, for its sizes. */
struct stand_menu *stand_menu_open(struct stand *s, const struct candidate *c,
    const struct scene *on, bool backwards);
enum stand_says stand_menu_try(struct stand_menu *m, uint32_t choice,
    const struct scene *on, struct stand_finding *ret);
void stand_menu_close(struct stand_menu *m); /* NULL-safe */

/* Is it wrong on the operator's smoke case, drawn from the seed, as a person
 * sees by eye, whatever its output held?  Nobody need ask a verifier then. */
bool stand_sees_by_eye(struct stand *s, const struct candidate *c,
    const struct op *op, const uint8_t seed[32]);

#endif
