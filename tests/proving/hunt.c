/* See the header: pairs, their menu, and the proof of the one that is taken. */
#include "tests/proving/hunt.h"

#include "base/buf.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define PAIRS_MAX   6
#define PAIRS_LARGE 2 /* where values cost more than a build */
#define LARGE       ((uint64_t)1 << 18)
#define MENU_MAX    ((size_t)1 << 16)

/* Values and a condition that holds with them. */
struct pair {
	struct scene scene;
	struct planted planted;
};

struct hunting {
	struct stand *stand;
	const struct kernel *k;
	size_t mistake;
	struct draw place;
	struct pair pairs[PAIRS_MAX];
	size_t npairs;
	bool always_loud; /* without a condition every eye sees it */
	uint32_t *loud;
};

static struct draw
fork_draw(struct draw *d, const char *label)
{
	uint8_t seed[32];
	struct draw ret;

	for (size_t i = 0; i < sizeof seed; i++)
		seed[i] = (uint8_t)draw_bits(d);
	draw_init(&ret, seed, label);
	return ret;
}

static bool
is_always(const struct planted *p)
{
	return !p->shown || strcmp(p->shown, "1") == 0;
}

static size_t
pairs_of(const struct scene *s)
{
	uint64_t n = (uint64_t)s->in->out.rows * s->in->out.cols +
	    (uint64_t)s->c.shape.m * s->c.shape.n * s->c.shape.k / 16;

	for (size_t i = 0; i < s->in->op->nargs; i++)
		if (s->in->op->args[i].kind == OP_IN) {
			struct op_extent e = s->in->op->extent(&s->c.shape, i);

			n += (uint64_t)e.rows * e.cols;
		}
	return n > LARGE ? PAIRS_LARGE : PAIRS_MAX;
}

/* The first pair is there. */
static void
draw_pairs(struct hunting *h, struct draw *d, struct draw *conditions)
{
	size_t n = pairs_of(&h->pairs[0].scene);

	for (h->npairs = 1; h->npairs < n; h->npairs++) {
		struct pair *p = &h->pairs[h->npairs];

		scene_redraw(h->k, &h->pairs[0].scene, d, &p->scene);
		if (!plant_draw(h->mistake, h->k, &p->scene, h->place,
		        conditions, NULL, &p->planted)) {
			scene_done(&p->scene);
			return;
		}
	}
}

static bool
parse(const struct hunting *h, const struct planted *p, struct candidate *ret)
{
	return candidate_parse_file(h->k->name, p->text, strlen(p->text), ret,
	           NULL) == ERR_OK;
}

/* All the pairs' conditions as one, which the stand's choice tells apart. */
static bool
menu_kernel(struct hunting *h, struct candidate *ret)
{
	const char *choice = stand_choice(h->stand);
	const struct pair *first = &h->pairs[0];
	struct draw ignored = { { 0 } };
	struct planted all;
	struct buf b;
	char *text;
	bool ok;

	if (!first->planted.shown)
		return parse(h, &first->planted, ret);
	buf_init(&b, MENU_MAX);
	buf_adds(&b, "(");
	for (size_t i = 0; i + 1 < h->npairs; i++)
		buf_addf(&b, "%s == %zuu ? (uint)(%s) : ", choice, i,
		    h->pairs[i].planted.shown);
	buf_addf(&b, "(uint)(%s))", h->pairs[h->npairs - 1].planted.shown);
	text = buf_take(&b);
	ok = plant_draw(h->mistake, h->k, &first->scene, h->place, &ignored,
	    text, &all);
	free(text);
	if (ok) {
		ok = parse(h, &all, ret);
		planted_done(&all);
	}
	return ok;
}

/* What an order shows is looked at in both orders, and only if the kernel
 * itself stands both. */
static bool
is_proved(const struct hunting *h, const struct candidate *c,
    const struct pair *p, bool backwards, struct stand_finding *f)
{
	struct stand_finding ignored;

	return stand_try(h->stand, c, &p->scene, backwards, f) == STAND_WRONG &&
	    (!backwards ||
	        stand_try(h->stand, &h->k->candidate, &p->scene, true,
	            &ignored) == STAND_RIGHT);
}

/* A pair that the menu says is wrong: is it, by itself, and silently? */
static bool
take(struct hunting *h, const struct pair *p, bool backwards,
    struct hunted *ret)
{
	struct candidate c = { 0 };
	bool ok;

	if (is_always(&p->planted) && h->always_loud)
		return false;
	ok = parse(h, &p->planted, &c);
	if (ok &&
	    stand_sees_by_eye(h->stand, &c, h->k->op, p->scene.in->seed)) {
		h->always_loud |= is_always(&p->planted);
		++*h->loud;
		ok = false;
	}
	ok = ok && is_proved(h, &c, p, backwards, &ret->finding);
	if (ok)
		ret->candidate = c;
	else
		candidate_done(&c);
	return ok;
}

/* The number of the pair that is taken; npairs: none. */
static size_t
search(struct hunting *h, const struct candidate *menu, bool backwards,
    struct hunted *ret)
{
	const struct scene *sizes = &h->pairs[0].scene;
	struct stand_menu *m =
	    stand_menu_open(h->stand, menu, sizes, backwards);
	struct stand_finding ignored;
	size_t i;

	for (i = 0; m && i < h->npairs; i++)
		if (stand_menu_try(m, (uint32_t)i, &h->pairs[i].scene,
		        &ignored) == STAND_WRONG &&
		    take(h, &h->pairs[i], backwards, ret))
			break;
	stand_menu_close(m);
	return m ? i : h->npairs;
}

static bool
search_both(struct hunting *h, struct hunted *ret)
{
	struct candidate menu = { 0 };
	size_t found = h->npairs;

	if (menu_kernel(h, &menu)) {
		found = search(h, &menu, false, ret);
		if (found == h->npairs && h->pairs[0].planted.by_order)
			found = search(h, &menu, true, ret);
	}
	candidate_done(&menu);
	for (size_t i = 0; i < h->npairs; i++) {
		if (i == found)
			continue;
		planted_done(&h->pairs[i].planted);
		scene_done(&h->pairs[i].scene);
	}
	if (found == h->npairs)
		return false;
	ret->planted = h->pairs[found].planted;
	ret->scene = h->pairs[found].scene;
	ret->scene.in->c = &ret->scene.c;
	return true;
}

bool
hunt(struct stand *stand, const struct kernel *k, size_t mistake,
    const char *only, struct draw *d, struct hunted *ret, uint32_t *loud)
{
	struct hunting h = { .stand = stand,
		.k = k,
		.mistake = mistake,
		.loud = loud };
	struct pair *first = &h.pairs[0];
	struct draw conditions;

	if (!scene_draw(k, d, &first->scene))
		return false;
	h.place = fork_draw(d, "place");
	conditions = fork_draw(d, "conditions");
	if (!plant_draw(mistake, k, &first->scene, h.place, &conditions, NULL,
	        &first->planted)) {
		scene_done(&first->scene);
		return false;
	}
	if (only && !strstr(k->name, only) &&
	    strcmp(first->planted.mistake, only) != 0) {
		planted_done(&first->planted);
		scene_done(&first->scene);
		return false;
	}
	draw_pairs(&h, d, &conditions);
	return search_both(&h, ret);
}

void
hunted_done(struct hunted *h)
{
	planted_done(&h->planted);
	candidate_done(&h->candidate);
	scene_done(&h->scene);
}
