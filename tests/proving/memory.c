/* See the header: mappings with a guard page. */
#include "tests/proving/memory.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

const float memory_fillings[MEMORY_NFILLINGS] = { NAN, 1.25f, 0.0f };

static size_t
elements(struct op_extent e)
{
	return e.rows > 0 ? (size_t)(e.rows - 1) * e.stride + e.cols : 0;
}

static bool
span_map(struct span *s, size_t bytes)
{
	size_t pages =
	    (bytes + MEMORY_PAGE - 1) / MEMORY_PAGE * MEMORY_PAGE + MEMORY_PAGE;

	s->bytes = bytes;
	s->map_bytes = pages + MEMORY_PAGE;
	s->map = mmap(NULL, s->map_bytes, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->map == MAP_FAILED) {
		s->map = NULL;
		return false;
	}
	mprotect(s->map + pages, MEMORY_PAGE, PROT_NONE);
	s->data = s->map + pages - bytes;
	return true;
}

static void
span_fill(const struct span *s, enum dtype t, float with)
{
	for (size_t i = 0; i < s->bytes / dtype_bytes(t); i++)
		dtype_store(t, s->data, i, with);
}

static void
span_write(const struct span *s, enum dtype t, struct op_extent e,
    const float *v)
{
	span_fill(s, t, 777.0f);
	for (size_t r = 0; r < e.rows; r++)
		for (size_t c = 0; c < e.cols; c++)
			dtype_store(t, s->data, r * e.stride + c,
			    v[r * e.cols + c]);
}

static bool
map_argument(struct memory *m, const struct scene *on, size_t i)
{
	const struct op *op = on->in->op;
	enum op_arg_kind kind = op->args[i].kind;
	size_t bytes;
	bool ok = true;

	if (kind == OP_UINT || kind == OP_REAL)
		return true;
	if (kind == OP_POSITIONS)
		bytes = on->c.shape.seq * sizeof(int32_t);
	else
		bytes = elements(op->extent(&on->c.shape, i)) *
		    dtype_bytes(on->c.dtype);
	if (kind != OP_OUT)
		return span_map(&m->in[i], bytes);
	for (size_t f = 0; f < MEMORY_NFILLINGS && ok; f++)
		ok = span_map(&m->out[f], bytes);
	return ok;
}

void
memory_write(const struct memory *m, const struct scene *on)
{
	const struct op *op = on->in->op;
	enum dtype t = on->c.dtype;

	for (size_t i = 0; i < op->nargs; i++) {
		enum op_arg_kind kind = op->args[i].kind;

		if (kind == OP_POSITIONS)
			memcpy(m->in[i].data, on->in->positions,
			    m->in[i].bytes);
		else if (kind == OP_IN)
			span_write(&m->in[i], t, op->extent(&on->c.shape, i),
			    on->in->in[i]);
	}
	for (size_t f = 0; f < MEMORY_NFILLINGS; f++)
		span_fill(&m->out[f], t, memory_fillings[f]);
}

bool
memory_map(struct memory *m, const struct scene *on)
{
	bool ok = true;

	for (size_t i = 0; i < on->in->op->nargs && ok; i++)
		ok = map_argument(m, on, i);
	return ok;
}

void
memory_done(struct memory *m)
{
	for (size_t i = 0; i < OP_ARGS_MAX; i++)
		if (m->in[i].map)
			munmap(m->in[i].map, m->in[i].map_bytes);
	for (size_t f = 0; f < MEMORY_NFILLINGS; f++)
		if (m->out[f].map)
			munmap(m->out[f].map, m->out[f].map_bytes);
}
