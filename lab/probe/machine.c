/* Launching: groups, work items, barriers, and the memory that they get. */
#include "lab/probe/machine_loops.h"

#include "base/mem.h"
#include "lab/probe/arithmetic.h"
#include <stdlib.h>
#include <string.h>

#define MEMORY_MAX   ((uint64_t)512 << 20)
#define LOCAL_FENCE  1
#define GLOBAL_FENCE 2

uint64_t
machine_dice(struct machine *m)
{
	uint64_t z = m->dice += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

void
machine_find(struct machine *m, const char *class, const char *what)
{
	if (!m->finding.class)
		m->finding = (struct machine_finding){ .class = class,
			.what = what,
			.line = m->line,
			.arg = UINT32_MAX };
	m->stop = true;
}

/* ---- a group */

static void
fill(void *p, uint64_t bytes, uint32_t pattern)
{
	for (uint64_t i = 0; i + sizeof pattern <= bytes; i += sizeof pattern)
		memcpy((char *)p + i, &pattern, sizeof pattern);
}

static void
start_items(struct machine *m)
{
	const struct machine_launch *l = m->l;
	uint32_t n = 0;

	for (uint64_t z = 0; z < l->local[2]; z++)
		for (uint64_t y = 0; y < l->local[1]; y++)
			for (uint64_t x = 0; x < l->local[0]; x++) {
				struct machine_item *it = &m->items[n++];

				it->state = ITEM_RUNS;
				it->id[0] = x;
				it->id[1] = y;
				it->id[2] = z;
				it->depth = 1;
				it->ncopies = 0;
				machine_loops_forget(m, it);
				it->barriers = 0;
				it->has_paused = false;
				it->looked_at = 0;
				it->frames[0] =
				    (struct machine_frame){ .f = m->kernel };
				for (uint32_t a = 0; a < l->nargs; a++)
					it->slots[m->kernel->params[a]] =
					    l->args[a].data || l->args[a].sparse
					    ? prog_pointer(PROG_ARGUMENT + a, 0)
					    : l->args[a].number;
				fill(it->private, m->kernel->deep_bytes,
				    l->fill);
			}
}

/* The n-th item to run in a round. */
static uint32_t
turn(const struct machine *m, uint32_t i, uint32_t step, uint32_t from)
{
	if (m->l->order == MACHINE_BACKWARDS)
		return m->nitems - 1 - i;
	if (m->l->order == MACHINE_SHUFFLED)
		return (uint32_t)((from + (uint64_t)i * step) % m->nitems);
	return i;
}

static void run_group(struct machine *m, uint64_t number);
static bool take_group(struct machine *m, uint64_t *ret);

/* The memory of a group's own. */
static void
reserve_group(struct machine *m)
{
	m->items = xcalloc(m->nitems, sizeof *m->items);
	for (uint32_t i = 0; i < m->nitems; i++) {
		m->items[i].slots = xcalloc((size_t)m->kernel->deep_slots + 1,
		    sizeof(uint64_t));
		m->items[i].private =
		    xcalloc((size_t)m->kernel->deep_bytes + 1, 1);
	}
	m->regions[PROG_LOCAL] =
	    (struct machine_region){ xcalloc((size_t)m->p->local_bytes + 1, 1),
		    m->p->local_bytes, true, NULL };
	m->shadows[PROG_LOCAL] =
	    xcalloc((size_t)(m->p->local_bytes / m->granule) + 1,
	        sizeof *m->shadows[0]);
}

static void
release_group(struct machine *m)
{
	for (uint32_t i = 0; i < m->nitems && m->items; i++) {
		machine_loops_forget(m, &m->items[i]);
		free(m->items[i].slots);
		free(m->items[i].private);
	}
	free(m->items);
	free(m->regions[PROG_LOCAL].base);
	free(m->shadows[PROG_LOCAL]);
}

/* While the group under way pauses, the next one runs from its beginning to its
 * end, as on a device that has both. */
static void
run_between(struct machine *m)
{
	struct machine paused = *m;
	uint64_t number;

	if (m->is_between || !take_group(m, &number))
		return;
	reserve_group(m);
	m->is_between = true;
	run_group(m, number);
	release_group(m);
	paused.next_group = m->next_group;
	paused.groups_run = m->groups_run;
	paused.most = m->most;
	paused.left = m->left;
	paused.is_inexact = m->is_inexact;
	paused.skipped = m->skipped;
	paused.dice = m->dice;
	paused.finding = m->finding;
	paused.stop = m->stop;
	paused.line = m->line;
	*m = paused;
}

/* All items up to their next barrier, a pause, or their ends. */
static void
run_round(struct machine *m)
{
	uint32_t step = 1, from = 0;

	if (m->l->order == MACHINE_SHUFFLED) {
		from = (uint32_t)(machine_dice(m) % m->nitems);
		/* A step that shares no divisor with their number comes by
		 * every item once, and no list of them is needed. */
		do {
			step = (uint32_t)(machine_dice(m) % m->nitems) | 1;
		} while (arith_gcd(m->nitems, step) != 1);
	}
	for (uint32_t i = 0; i < m->nitems && !m->stop; i++) {
		m->current = turn(m, i, step, from);
		m->item = &m->items[m->current];
		if (m->item->state != ITEM_RUNS)
			continue;
		m->regions[PROG_PRIVATE].base = m->item->private;
		machine_step(m);
		if (m->pause == PAUSE_GLOBAL && !m->stop && machine_dice(m) % 2)
			run_between(m);
	}
}

static bool
has_running(const struct machine *m)
{
	for (uint32_t i = 0; i < m->nitems; i++)
		if (m->items[i].state == ITEM_RUNS)
			return true;
	return false;
}

/* After a round: do all items wait at one barrier, or has none left any? */
static bool
pass_barrier(struct machine *m)
{
	const struct machine_item *first = &m->items[0];

	for (uint32_t i = 1; i < m->nitems; i++)
		if (m->items[i].state != first->state ||
		    (first->state == ITEM_WAITS &&
		        m->items[i].barrier != first->barrier)) {
			m->line = first->state == ITEM_WAITS
			    ? first->barrier
			    : m->items[i].barrier;
			machine_find(m, "divergence",
			    "a barrier that not all work items of a group "
			    "reach");
			return false;
		}
	if (first->state == ITEM_ENDED)
		return false;
	/* A barrier orders only the memory that it fences: what the other
	 * holds from before still races with what comes after. */
	m->epoch[0] += (first->fences & LOCAL_FENCE) != 0;
	m->epoch[1] += (first->fences & GLOBAL_FENCE) != 0;
	for (uint32_t i = 0; i < m->nitems; i++)
		m->items[i].state = ITEM_RUNS;
	return true;
}

/* Bytes of the output, by the group's items so far, those of leaps as well. */
static uint64_t
count_written(const struct machine *m)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->nitems; i++)
		n += m->items[i].written;
	return n;
}

static void
run_group(struct machine *m, uint64_t number)
{
	uint64_t rest = number, before = count_written(m);

	m->group_number = number;
	for (int d = 0; d < 3; d++) {
		m->group[d] = rest % m->ngroups[d];
		rest /= m->ngroups[d];
	}
	fill(m->regions[PROG_LOCAL].base, m->regions[PROG_LOCAL].bytes,
	    m->l->fill);
	if (m->shadows[PROG_LOCAL])
		memset(m->shadows[PROG_LOCAL], 0,
		    (m->p->local_bytes / m->granule + 1) *
		        sizeof *m->shadows[PROG_LOCAL]);
	m->ncopies = m->npending = 0;
	memset(m->copies, 0, sizeof m->copies);
	m->epoch[0]++;
	m->epoch[1]++;
	start_items(m);
	do {
		run_round(m);
	} while (!m->stop && (has_running(m) || pass_barrier(m)));
	if (m->npending > 0 && !m->stop)
		machine_find(m, "race",
		    "a group ends without waiting for its copy");
	m->groups_run += !m->stop;
	before = count_written(m) - before;
	m->most = before > m->most ? before : m->most;
}

/* ---- a launch */

/* Neighbours in an array of bytes are two places, not one. */
static uint64_t
granule_of(const struct program *p)
{
	for (size_t f = 0; f < p->nfunctions; f++)
		for (uint32_t i = 0; i < p->functions[f].ncode; i++) {
			const struct prog_instr *in = &p->functions[f].code[i];

			if ((in->op == PROG_LOAD || in->op == PROG_STORE) &&
			    in->bits == 8)
				return 1;
		}
	return GRANULE;
}

static bool
reserve(struct machine *m)
{
	const struct machine_launch *l = m->l;
	uint64_t items = l->local[0] * l->local[1] * l->local[2];
	uint64_t bytes =
	    m->kernel->deep_slots * sizeof(uint64_t) + m->kernel->deep_bytes;

	if (items == 0 || items > MACHINE_ITEMS_MAX ||
	    bytes > MEMORY_MAX / items)
		return false;
	for (uint32_t i = 0; i < l->nargs; i++)
		if (l->args[i].data && l->args[i].writable) {
			bytes += l->args[i].bytes / m->granule *
			    sizeof *m->shadows[0];
			if (bytes > MEMORY_MAX)
				return false;
		}
	m->nitems = (uint32_t)items;
	reserve_group(m);
	return true;
}

static void
map_regions(struct machine *m)
{
	const struct machine_launch *l = m->l;

	m->regions[PROG_PRIVATE] =
	    (struct machine_region){ NULL, m->kernel->deep_bytes, true, NULL };
	m->regions[PROG_CONSTANT] = (struct machine_region){ m->p->image,
		m->p->image_bytes, false, NULL };
	for (uint32_t i = 0; i < l->nargs; i++) {
		struct machine_region *r = &m->regions[PROG_ARGUMENT + i];

		if (!l->args[i].data && !l->args[i].sparse)
			continue;
		*r = (struct machine_region){ l->args[i].data, l->args[i].bytes,
			l->args[i].writable, NULL };
		if (l->args[i].sparse)
			r->sparse = sparse_new(l->args[i].sparse,
			    r->writable ? SPARSE_PIECE / GRANULE *
			            sizeof(struct machine_shadow)
			                : 0);
		else if (r->writable)
			m->shadows[PROG_ARGUMENT + i] =
			    xcalloc((size_t)(l->args[i].bytes / m->granule) + 2,
			        sizeof *m->shadows[0]);
	}
}

static void
release(struct machine *m)
{
	release_group(m);
	m->shadows[PROG_LOCAL] = NULL;
	for (size_t i = 0; i < MACHINE_REGIONS_MAX; i++) {
		free(m->shadows[i]);
		sparse_free(m->regions[i].sparse);
	}
}

/* The elements of a piece of the output that were written. */
static void
list_piece(const struct sparse_layout *l, uint64_t offset,
    const unsigned char *bytes, const struct machine_shadow *shadows,
    const struct machine_launch *to, struct machine_result *ret)
{
	uint64_t word = sparse_word_bytes(l), granules = word / GRANULE;

	for (uint64_t i = 0; i < SPARSE_PIECE / word; i++) {
		uint64_t n = 0;

		for (uint64_t k = 0; k < granules; k++)
			n += shadows[i * granules + k].writer != 0;
		if (n == 0)
			continue;
		/* Counted where there is no room as well: the caller must
		 * know that some are missing. */
		if (ret->nwritten < to->written_max)
			to->written[ret->nwritten] = (struct machine_written){
				.element = offset / word + i,
				.value =
				    dtype_load((enum dtype)l->dtype, bytes, i),
				.is_whole = n == granules,
			};
		ret->nwritten++;
		if (ret->last < offset / word + i)
			ret->last = offset / word + i;
		if (ret->last_column < (offset / word + i) % l->stride)
			ret->last_column = (offset / word + i) % l->stride;
	}
}

static void
list_written(const struct machine *m, struct machine_result *ret)
{
	const struct machine_launch *l = m->l;
	const unsigned char *bytes;
	const void *shadows;
	uint64_t offset;

	for (uint32_t a = 0; a < l->nargs && l->written; a++)
		for (size_t i = 0; l->args[a].sparse && l->args[a].writable &&
		     sparse_piece(m->regions[PROG_ARGUMENT + a].sparse, i,
		         &offset, &bytes, &shadows);
		     i++)
			list_piece(l->args[a].sparse, offset, bytes, shadows, l,
			    ret);
}

/* The next group to run; false: none is left. */
static bool
take_group(struct machine *m, uint64_t *ret)
{
	const struct machine_launch *l = m->l;
	uint64_t all = m->ngroups[0] * m->ngroups[1] * m->ngroups[2];
	uint64_t n = l->groups ? l->ngroups : all;

	while (m->next_group < n) {
		uint64_t at = m->next_group++;

		if (l->order == MACHINE_BACKWARDS)
			at = n - 1 - at;
		*ret = l->groups ? l->groups[at] : at;
		/* A list may name groups that a smaller launch does not
		 * have. */
		if (*ret < all)
			return true;
	}
	return false;
}

enum machine_end
machine_run(const struct program *p, const struct prog_function *kernel,
    const struct machine_launch *l, uint32_t *counters,
    struct machine_result *ret)
{
	struct machine m = { .p = p,
		.kernel = kernel,
		.l = l,
		.counters = counters,
		.granule = granule_of(p),
		.left = l->budget,
		.dice = l->seed };
	enum machine_end end = MACHINE_DONE;
	uint64_t number;

	*ret = (struct machine_result){ .finding = { .arg = UINT32_MAX } };
	for (int d = 0; d < 3; d++)
		m.ngroups[d] = l->local[d] ? l->global[d] / l->local[d] : 0;
	if (kernel->nparams != l->nargs || kernel->depth > MACHINE_DEPTH_MAX ||
	    !reserve(&m)) {
		release(&m);
		return MACHINE_UNABLE;
	}
	map_regions(&m);
	if (l->leaps)
		machine_loops_begin(&m);
	while (!m.stop && take_group(&m, &number))
		run_group(&m, number);
	ret->groups = m.groups_run;
	if (m.finding.class)
		end = MACHINE_FOUND;
	else if (m.stop)
		end = MACHINE_BUDGET;
	ret->finding = m.finding;
	ret->instructions = l->budget - m.left;
	ret->skipped = m.skipped;
	ret->most = m.most;
	ret->is_inexact = m.is_inexact;
	list_written(&m, ret);
	machine_loops_done(&m);
	release(&m);
	return end;
}
