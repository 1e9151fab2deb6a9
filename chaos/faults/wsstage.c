/*
 * Items in, frames to the fault, items out.
 */
#include "chaos/faults/wsstage.h"

#include <stdlib.h>
#include <string.h>

#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"

#define CLOSE_BYTES 2 /* of a Close frame's payload: the code */

const char *const wsstage_from_names[] = { "upstream", "client", NULL };

static void
pass(struct wsstage *w, const struct item *it)
{
	if (w->ops->put)
		w->ops->put(w, it);
	else
		stage_pass(&w->stage, it);
}

void
wsstage_put(struct wsstage *w, const char *p, size_t n)
{
	struct item it = { .kind = ITEM_BYTES, .raw = { p, n } };

	if (n)
		pass(w, &it);
}

void
wsstage_end(struct wsstage *w, enum item_end end)
{
	struct item it = { .kind = ITEM_END, .end = end };

	w->is_cut = true;
	pass(w, &it);
	if (!w->stage.hears_client)
		exchange_stop_source(w->stage.exchange);
}

/* A client masks each frame (RFC 6455, 5.1), by a key that nobody can guess:
 * from the seed, so that a run can be played again. */
void
wsstage_close(struct wsstage *w, unsigned code)
{
	char frame[2 + 4 + CLOSE_BYTES] = { (char)(0x80 | WSFRAME_CLOSE) };
	char says[CLOSE_BYTES] = { (char)(code >> 8), (char)(code & 0xff) };
	uint64_t key;
	size_t n = 2;

	frame[1] = CLOSE_BYTES;
	if (w->stage.hears_client) {
		key = shot_between(w->stage.shot, "mask", 0, UINT32_MAX);
		frame[1] = (char)(frame[1] | 0x80);
		for (size_t i = 0; i < 4; i++)
			frame[n++] = (char)(key >> (8 * i) & 0xff);
		for (size_t i = 0; i < CLOSE_BYTES; i++)
			says[i] = (char)(says[i] ^ frame[2 + i]);
	}
	memcpy(frame + n, says, CLOSE_BYTES);
	wsstage_put(w, frame, n + CLOSE_BYTES);
	wsstage_end(w, ITEM_END_CLOSE);
}

static void
give_up(struct wsstage *w, const char *reason)
{
	w->is_over = true;
	if (!w->stage.shot->is_reported)
		shot_bypass(w->stage.shot, reason);
}

static void
on_head(struct wsstage *w)
{
	struct wsframe_reader *r = &w->reader;

	if (r->is_coded)
		give_up(w, "frames that an extension has coded");
	else if (w->ops->on_frame)
		w->ops->on_frame(w);
	if (!w->is_cut)
		wsstage_put(w, (const char *)r->head, r->head_n);
}

static void
on_payload(struct wsstage *w, const char *p, size_t n)
{
	if (w->ops->on_payload && !w->is_over)
		w->ops->on_payload(w, p, n);
	else
		wsstage_put(w, p, n);
}

/* Whatever of a bad head was gathered before these bytes passes first. */
static void
pass_rest(struct wsstage *w, size_t used, const char *p, size_t n)
{
	size_t before = w->reader.head_n - used;

	w->is_bad = true;
	give_up(w, "not the frames of a WebSocket");
	wsstage_put(w, (const char *)w->reader.head, before);
	wsstage_put(w, p, n);
}

static void
on_bytes(struct wsstage *w, const char *p, size_t n)
{
	struct wsframe_reader *r = &w->reader;
	size_t used;

	while (!w->is_cut) {
		switch (wsframe_next(r, (const unsigned char *)p, n, &used)) {
		case WSFRAME_HEAD:
			on_head(w);
			break;
		case WSFRAME_PAYLOAD:
			on_payload(w, p, used);
			break;
		case WSFRAME_END:
			if (w->ops->on_frame_end && !w->is_over)
				w->ops->on_frame_end(w);
			break;
		case WSFRAME_BAD:
			pass_rest(w, used, p, n);
			return;
		case WSFRAME_MORE:
			return;
		}
		p += used;
		n -= used;
	}
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct wsstage *w = (struct wsstage *)st;

	if (w->is_cut)
		return;
	if (it->kind != ITEM_BYTES) {
		pass(w, it);
		return;
	}
	if (w->is_bad)
		pass(w, it);
	else
		on_bytes(w, it->raw.p, it->raw.n);
}

static void
stage_free(struct stage *st)
{
	struct wsstage *w = (struct wsstage *)st;

	if (w->ops->free)
		w->ops->free(w);
	free(w);
}

static const struct stage_ops stage_ops = { on_item, stage_free };

void
wsstage_aim(struct wsstage *w, const struct wsstage_ops *ops, struct shot *s,
    const struct wsstage_target *target)
{
	wsstage_init(w, ops, target->from);
	w->target = shot_between(s, "message", (uint64_t)target->first,
	    (uint64_t)(target->first + target->spread));
	shot_expect(s, "fewer messages came");
}

bool
wsstage_is_target(const struct wsstage *w)
{
	return !w->is_over && w->reader.is_first &&
	    w->reader.message == w->target;
}

void
wsstage_init(struct wsstage *w, const struct wsstage_ops *ops, int from)
{
	w->stage.ops = &stage_ops;
	w->stage.hears_client = from == WSSTAGE_CLIENT;
	w->ops = ops;
	wsframe_init(&w->reader);
}
