/*
 * Built-ins that touch memory, or ask who a work item is.
 *
 * An asynchronous copy happens when its group waits for it, as late as the
 * standard allows: who reads before has not waited.  Each has an event of its
 * own, unless it is given another one's.
 */
#include "lab/probe/builtin.h"
#include "lab/probe/machine_priv.h"

#include "ops/dtype.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FENCES_ALL 3

/* ---- work items */

static uint64_t
identity(const struct machine *m, struct slice name, uint32_t d)
{
	const struct machine_launch *l = m->l;
	const struct machine_item *it = m->item;

	if (slice_is(name, "get_work_dim"))
		return l->ndims;
	if (d >= 3 || slice_is(name, "get_global_offset"))
		return slice_is(name, "get_global_size") ||
		    slice_is(name, "get_local_size") ||
		    slice_is(name, "get_num_groups");
	if (slice_is(name, "get_global_id"))
		return m->group[d] * l->local[d] + it->id[d];
	if (slice_is(name, "get_local_id"))
		return it->id[d];
	if (slice_is(name, "get_group_id"))
		return m->group[d];
	if (slice_is(name, "get_global_size"))
		return l->global[d];
	if (slice_is(name, "get_local_size"))
		return l->local[d];
	return m->ngroups[d];
}

static void
identity_at(struct builtin_call *k)
{
	builtin_set_whole(k, 0,
	    identity(k->m, k->c->plain,
	        k->c->nargs > 0 ? (uint32_t)*k->args[0] : 0));
}

static void
barrier_at(struct builtin_call *k)
{
	k->waits = true;
	k->fences = (uint32_t)*k->args[0] & FENCES_ALL;
}

static void
nothing_at(struct builtin_call *k)
{
	(void)k;
}

/* ---- vectors in memory */

/* vloadN(offset, p), vload_half[N], vloada_half[N] */
static void
vload_at(struct builtin_call *k)
{
	bool half = slice_begins(k->c->plain, "vload_half") ||
	    slice_begins(k->c->plain, "vloada_half");
	bool aligned = slice_begins(k->c->plain, "vloada_half");
	uint32_t bytes = half ? 2 : k->c->result->bits / 8;
	uint32_t every = aligned && k->lanes == 3 ? 4 : k->lanes;
	uint64_t from = *k->args[1] + *k->args[0] * every * bytes;

	for (uint32_t i = 0; i < k->lanes && !k->m->stop; i++) {
		uint64_t v = 0;

		machine_load(k->m, from + (uint64_t)i * bytes, &v, bytes);
		if (half)
			builtin_set_real(k, i,
			    (double)dtype_f16_to_float((uint16_t)v));
		else
			k->out[i] = v;
	}
}

static double
half_value(uint16_t h)
{
	return (double)dtype_f16_to_float(h);
}

/* A float as a half, rounded as the name says: by default to the nearest. */
static uint16_t
to_half(struct slice name, double v)
{
	uint16_t h = dtype_f16_from_float((float)v);
	bool over = half_value(h) > v, under = half_value(h) < v;
	char way = 'e';

	if (name.n > 4 && memcmp(name.p + name.n - 4, "_rt", 3) == 0)
		way = name.p[name.n - 1];
	if (isnan(v) || h == 0x7c00 || h == 0xfc00)
		return h;
	if ((over && (way == 'n' || (way == 'z' && v > 0))) ||
	    (under && (way == 'p' || (way == 'z' && v < 0))))
		/* The neighbour on the other side of v. */
		h = (uint16_t)(((h & 0x8000) != 0) == over ? h + 1 : h - 1);
	return h;
}

/* vstoreN(v, offset, p), vstore_half[N][_rtX], vstorea_half[N][_rtX] */
static void
vstore_at(struct builtin_call *k)
{
	bool half = slice_begins(k->c->plain, "vstore_half") ||
	    slice_begins(k->c->plain, "vstorea_half");
	bool aligned = slice_begins(k->c->plain, "vstorea_half");
	uint32_t lanes = k->c->types[0]->slots;
	uint32_t bytes = half ? 2 : builtin_width(k, 0) / 8;
	uint32_t every = aligned && lanes == 3 ? 4 : lanes;
	uint64_t to = *k->args[2] + *k->args[1] * every * bytes;

	for (uint32_t i = 0; i < lanes && !k->m->stop; i++) {
		uint64_t v = half ? to_half(k->c->plain, builtin_real(k, 0, i))
		                  : builtin_bits(k, 0, i);

		machine_store(k->m, to + (uint64_t)i * bytes, &v, bytes);
	}
}

/* ---- atomics */

static uint64_t
combine(const struct builtin_call *k, struct slice what, uint64_t old)
{
	uint64_t v = k->c->nargs > 1 ? *k->args[1] : 1;
	uint32_t shift = 64 - k->c->result->bits;
	int64_t so = (int64_t)(old << shift) >> shift;
	int64_t sv = (int64_t)(v << shift) >> shift;
	bool more = k->c->is_signed ? sv > so : v > old;

	if (slice_is(what, "add") || slice_is(what, "inc"))
		return old + v;
	if (slice_is(what, "sub") || slice_is(what, "dec"))
		return old - v;
	if (slice_is(what, "and"))
		return old & v;
	if (slice_is(what, "or"))
		return old | v;
	if (slice_is(what, "xor"))
		return old ^ v;
	if (slice_is(what, "max"))
		return more ? v : old;
	if (slice_is(what, "min"))
		return more ? old : v;
	if (slice_is(what, "cmpxchg"))
		return old == v ? *k->args[2] : old;
	return v;
}

/*
 * An item looks by one atomic, and overwrites by another one what a third has
 * written since: whatever that was is lost, unless the exchange hands it over.
 */
static void
watch(struct builtin_call *k, struct slice what, uint64_t old, uint64_t new)
{
	struct machine *m = k->m;
	struct machine_item *it = m->item;
	bool local = *k->args[0] >> PROG_REGION_SHIFT == PROG_LOCAL;
	uint32_t epoch = m->epoch[local ? 0 : 1];

	if (slice_is(what, "xchg") && old != new &&
	    it->looked_at == *k->args[0] && it->looked_epoch == epoch &&
	    it->looked_value != old &&
	    !prog_is_used(m->p, it->frames[it->depth - 1].f, m->instr->dst))
		machine_find(m, "race",
		    "an exchange loses what another work item wrote after "
		    "this one looked");
	if (old != new)
		return;
	it->looked_at = *k->args[0];
	it->looked_value = old;
	it->looked_epoch = epoch;
}

static void
atomic_at(struct builtin_call *k)
{
	const char *line = memchr(k->c->plain.p, '_', k->c->plain.n);
	struct slice what = { line + 1,
		k->c->plain.n - (size_t)(line + 1 - k->c->plain.p) };
	uint32_t bytes = k->c->result->bits / 8;
	uint64_t old = 0, new;

	k->m->is_atomic = true;
	if (machine_load(k->m, *k->args[0], &old, bytes)) {
		new = combine(k, what, old);
		new &= bytes < 8 ? ((uint64_t)1 << bytes * 8) - 1 : UINT64_MAX;
		machine_store(k->m, *k->args[0], &new, bytes);
		watch(k, what, old, new);
	}
	k->m->is_atomic = false;
	builtin_set_whole(k, 0, old);
}

/* ---- copies of a group */

/* All items of a group ask for the same copy: the first one counts, and the
 * event is the same for all. */
static void
copy_at(struct builtin_call *k)
{
	struct machine *m = k->m;
	bool strided = k->c->nargs == 5;
	bool to_local = *k->args[0] >> PROG_REGION_SHIFT == PROG_LOCAL;
	struct machine_copy c = { .to = *k->args[0],
		.from = *k->args[1],
		.count = *k->args[2],
		.to_stride = 1,
		.from_stride = 1,
		.is_pending = true };
	uint32_t n = m->item->ncopies++;
	struct machine_copy *slot = &m->copies[n % MACHINE_COPIES_MAX];

	if (strided && to_local)
		c.from_stride = *k->args[3];
	else if (strided)
		c.to_stride = *k->args[3];
	c.bytes = k->c->from_bytes;
	/* An event that is given stands for both copies. */
	c.event = *k->args[k->c->nargs - 1];
	if (c.event == 0)
		c.event = (uint64_t)n + 1;
	m->event_bytes = (uint32_t)k->c->result->bytes;
	k->out[0] = c.event;
	if (n < m->ncopies)
		return;
	if (slot->is_pending) {
		m->stop = true;
		return;
	}
	*slot = c;
	m->ncopies++;
	m->npending++;
}

static void
do_copy(struct machine *m, const struct machine_copy *c)
{
	unsigned char bytes[128];

	if (c->bytes > sizeof bytes)
		m->stop = true;
	for (uint64_t j = 0; j < c->count && !m->stop; j++) {
		if (m->left == 0) {
			m->stop = true;
			return;
		}
		m->left--;
		if (machine_load(m, c->from + j * c->from_stride * c->bytes,
		        bytes, c->bytes))
			machine_store(m, c->to + j * c->to_stride * c->bytes,
			    bytes, c->bytes);
	}
}

static void
wait_for(struct machine *m, uint64_t event)
{
	m->is_copy = true; /* the group's doing, nobody's in particular */
	for (uint32_t i = 0; i < MACHINE_COPIES_MAX && m->npending > 0; i++) {
		struct machine_copy *c = &m->copies[i];

		if (!c->is_pending || c->event != event)
			continue;
		c->is_pending = false;
		m->npending--;
		do_copy(m, c);
	}
	m->is_copy = false;
}

/* The copies of the listed events; others may go on. */
static void
wait_at(struct builtin_call *k)
{
	struct machine *m = k->m;
	uint32_t n = (uint32_t)*k->args[0];

	for (uint32_t i = 0; i < n && m->npending > 0 && !m->stop; i++) {
		uint64_t event = 0;

		if (m->event_bytes > sizeof event) {
			m->stop = true;
			return;
		}
		if (machine_load(m, *k->args[1] + (uint64_t)i * m->event_bytes,
		        &event, m->event_bytes))
			wait_for(m, event);
	}
}

/* ---- what the front end itself calls */

static void
move_bytes_at(struct builtin_call *k)
{
	uint64_t n = *k->args[2];
	unsigned char b;

	for (uint64_t i = 0; i < n && !k->m->stop; i++) {
		if (k->m->left == 0) {
			k->m->stop = true;
			return;
		}
		k->m->left--;
		if (machine_load(k->m, *k->args[1] + i, &b, 1))
			machine_store(k->m, *k->args[0] + i, &b, 1);
	}
}

static void
set_bytes_at(struct builtin_call *k)
{
	uint64_t n = *k->args[2];
	unsigned char b = (unsigned char)*k->args[1];

	for (uint64_t i = 0; i < n && !k->m->stop; i++) {
		if (k->m->left == 0) {
			k->m->stop = true;
			return;
		}
		k->m->left--;
		machine_store(k->m, *k->args[0] + i, &b, 1);
	}
}

/* clang-format off */
#define GIVES(n, f, a)  { .name = (n), .fn = (f), .needs = (a) }
#define DOES(n, f, a)   { .name = (n), .fn = (f), .needs = (a), .is_void = true }
#define ATOMIC(n, a)    { .name = (n), .fn = atomic_at, .needs = (a), .is_atomic = true }

const struct prog_builtin builtin_memory_rows[] = {
	GIVES("get_*", identity_at, 0), DOES("barrier", barrier_at, 1),
	GIVES("vload*", vload_at, 2), DOES("vstore*", vstore_at, 3),
	ATOMIC("atomic_cmpxchg", 3), ATOMIC("atom_cmpxchg", 3),
	ATOMIC("atomic_*", 1), ATOMIC("atom_*", 1),
	GIVES("async_work_group_*", copy_at, 4),
	DOES("wait_group_events", wait_at, 2),
	DOES("prefetch", nothing_at, 0), DOES("mem_fence", nothing_at, 0),
	DOES("read_mem_fence", nothing_at, 0),
	DOES("write_mem_fence", nothing_at, 0),
	DOES("llvm.memcpy.*", move_bytes_at, 3),
	DOES("llvm.memmove.*", move_bytes_at, 3),
	DOES("llvm.memset.*", set_bytes_at, 3),
	DOES("llvm.lifetime.*", nothing_at, 0),
	DOES("llvm.dbg.*", nothing_at, 0),
};
/* clang-format on */

const size_t builtin_memory_nrows = COUNT(builtin_memory_rows);
