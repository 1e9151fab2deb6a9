/*
 * Loads and stores: is the place there, may it be written, and does anybody
 * else touch it meanwhile?
 *
 * A shadow is kept of local memory and of what the kernel writes, a granule
 * of two bytes each, or of one where the program handles bytes.  Inputs cannot
 * be written, so nobody can race for them.
 */
#include "lab/probe/machine_loops.h"

#include <string.h>

/* n bytes that an access touches, and the shadow of their first granule. */
struct place {
	unsigned region;
	unsigned char *bytes;
	struct machine_shadow *shadow; /* NULL: none is kept */
	uint64_t n, granules;
};

static bool
find_place(struct machine *m, unsigned r, uint64_t at, uint64_t n,
    struct place *ret)
{
	const struct machine_region *region = &m->regions[r];
	uint64_t granule = region->sparse ? GRANULE : m->granule;
	void *own = NULL;

	*ret = (struct place){ .region = r, .n = n };
	if (n > 0)
		ret->granules = (at + n - 1) / granule - at / granule + 1;
	if (!region->sparse) {
		ret->bytes = region->base + at;
		if (m->shadows[r])
			ret->shadow = m->shadows[r] + at / granule;
		return true;
	}
	if (at % SPARSE_PIECE + n <= SPARSE_PIECE)
		ret->bytes = sparse_at(region->sparse, at, &own);
	if (region->writable && ret->bytes)
		ret->shadow =
		    (struct machine_shadow *)own + at % SPARSE_PIECE / GRANULE;
	m->stop |= !ret->bytes;
	return ret->bytes != NULL;
}

/* Of an item's own memory each function has a part while it runs. */
static bool
is_of_one_private(const struct machine_item *it, uint64_t at, uint64_t n)
{
	for (uint32_t d = it->depth; d-- > 0;)
		if (at >= it->frames[d].bytes_at)
			return prog_objects_hold(&it->frames[d].f->privates,
			    at - it->frames[d].bytes_at, n);
	return false;
}

/* All in one of the variables that lie there?  A buffer is one by itself. */
static bool
is_of_one(const struct machine *m, uint64_t r, uint64_t at, uint64_t n)
{
	switch (r) {
	case PROG_PRIVATE:
		return is_of_one_private(m->item, at, n);
	case PROG_LOCAL:
		return prog_objects_hold(&m->p->locals, at, n);
	case PROG_CONSTANT:
		return prog_objects_hold(&m->p->statics, at, n);
	default:
		return true;
	}
}

static bool
locate(struct machine *m, uint64_t pointer, uint64_t n, bool writes,
    struct place *ret)
{
	uint64_t r = pointer >> PROG_REGION_SHIFT;
	uint64_t at =
	    (pointer & (((uint64_t)1 << PROG_REGION_SHIFT) - 1)) - PROG_ORIGIN;
	struct machine_region *region;

	if (r >= MACHINE_REGIONS_MAX || r == PROG_NOWHERE ||
	    !(m->regions[r].base || m->regions[r].sparse)) {
		machine_find(m, "crash",
		    writes ? "a write at an invalid address"
		           : "a read at an invalid address");
		return false;
	}
	region = &m->regions[r];
	if (at > region->bytes || n > region->bytes - at ||
	    !is_of_one(m, r, at, n)) {
		machine_find(m, "out_of_bounds",
		    writes ? "a write outside" : "a read outside");
		m->finding.arg = r >= PROG_ARGUMENT
		    ? (uint32_t)r - PROG_ARGUMENT
		    : UINT32_MAX;
		return false;
	}
	if (writes && !region->writable) {
		machine_find(m, "input_write", "a write to an input");
		m->finding.arg = (uint32_t)r - PROG_ARGUMENT;
		return false;
	}
	return find_place(m, (unsigned)r, at, n, ret);
}

static void
race(struct machine *m, bool between_writes)
{
	machine_find(m, "race",
	    between_writes
	        ? "two work items write different values to one place"
	        : "a work item reads what another one writes");
}

/* Of one granule; changes: the write leaves another value there. */
static void
note(struct machine *m, struct machine_shadow *s, bool is_local, bool writes,
    bool changes)
{
	uint32_t me = m->current + 1, epoch = m->epoch[is_local ? 0 : 1];
	uint32_t group = (uint32_t)m->group_number + 1;
	bool same_group = is_local || s->writing_group == group;
	bool read_here = is_local || s->reading_group == group;

	if (s->writer && (changes || !writes) &&
	    !(m->is_atomic && s->is_atomic) &&
	    (same_group ? s->writer != me && s->written == epoch : true))
		race(m, writes);
	if (writes && changes && s->reader &&
	    (read_here ? s->reader != me && s->read == epoch : true))
		race(m, false);
	if (writes) {
		s->writer = me;
		s->written = epoch;
		s->writing_group = group;
		s->is_atomic = m->is_atomic;
	} else if (!m->is_atomic) {
		/* Two readers of a round: neither may be the one who writes. */
		s->reader = s->reader && s->reader != me && s->read == epoch &&
		        read_here
		    ? UINT32_MAX
		    : me;
		s->read = epoch;
		s->reading_group = group;
	}
}

/* Who has waited for a copy needs no barrier: it is as if before this round. */
static void
note_copied(const struct machine *m, struct machine_shadow *s)
{
	s->writer = UINT32_MAX;
	s->written = 0;
	s->writing_group = (uint32_t)m->group_number + 1;
	s->is_atomic = false;
}

static void
note_all(struct machine *m, const struct place *p, bool writes, bool changes)
{
	for (uint64_t i = 0; p->shadow && i < p->granules; i++)
		if (!m->is_copy)
			note(m, &p->shadow[i], p->region == PROG_LOCAL, writes,
			    changes);
		else if (writes && p->region != PROG_LOCAL)
			note_copied(m, &p->shadow[i]);
}

/* ---- copies that have been asked for */

/* Does [at, at + n) touch an element of the copy, on its one side? */
static bool
touches(const struct machine_copy *c, uint64_t first, uint64_t stride,
    uint64_t at, uint64_t n)
{
	uint64_t pitch = stride * c->bytes, past;

	if (c->count == 0 || at + n <= first ||
	    at >= first + (c->count - 1) * pitch + c->bytes)
		return false;
	if (at < first || pitch == 0)
		return true;
	past = (at - first) % pitch;
	return past < c->bytes || past + n > pitch;
}

/* What a copy may still be writing is nobody's to look at or to write, and what
 * it may still be reading nobody's to write. */
static void
beware_of_copies(struct machine *m, uint64_t at, uint64_t n, bool writes)
{
	for (uint32_t i = 0; i < MACHINE_COPIES_MAX && !m->stop; i++) {
		const struct machine_copy *c = &m->copies[i];

		if (!c->is_pending)
			continue;
		if (touches(c, c->to, c->to_stride, at, n) &&
		    !(writes && m->is_copy))
			machine_find(m, "race",
			    writes
			        ? "a work item writes what a copy may still be "
			          "writing"
			        : "a work item reads what a copy may still be "
			          "writing");
		else if (writes && touches(c, c->from, c->from_stride, at, n))
			machine_find(m, "race",
			    "a work item writes what a copy may still be "
			    "reading");
	}
}

void
machine_store(struct machine *m, uint64_t pointer, const void *v, uint64_t n)
{
	struct place p;

	if (!locate(m, pointer, n, true, &p))
		return;
	if (p.region >= PROG_ARGUMENT && machine_loops_is_unheard(m->item))
		return;
	if (m->npending > 0)
		beware_of_copies(m, pointer, n, true);
	note_all(m, &p, true, memcmp(p.bytes, v, n) != 0);
	m->item->privately +=
	    p.region == PROG_PRIVATE || p.region == PROG_LOCAL;
	m->item->written += p.region >= PROG_ARGUMENT ? n : 0;
	if (!m->stop)
		memcpy(p.bytes, v, n);
}

bool
machine_load(struct machine *m, uint64_t pointer, void *v, uint64_t n)
{
	struct place p;

	if (!locate(m, pointer, n, false, &p))
		return false;
	if (m->npending > 0)
		beware_of_copies(m, pointer, n, false);
	note_all(m, &p, false, true);
	memcpy(v, p.bytes, n);
	return !m->stop;
}
