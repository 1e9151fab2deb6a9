// links: base agent/text agent/mcp
/*
 * Any bytes as a message of an MCP client: what is accepted has a kind and
 * an era, and whatever is answered is one line of JSON.
 */
#include "agent/mcp/protocol_version.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_line(json_t *answer)
{
	size_t len;
	char *text = mcp_message_text(answer, &len);
	json_t *again = json_loadb(text, len, JSON_ALLOW_NUL, NULL);

	if (!again || memchr(text, '\n', len))
		abort();
	json_decref(again);
	free(text);
	json_decref(answer);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mcp_refusal no;
	struct mcp_message m;
	enum mcp_era era;

	if (mcp_message_read((const char *)data, size, &m, &no) != ERR_OK) {
		check_line(mcp_message_error(m.id, &no));
		mcp_message_done(&m);
		return 0;
	}
	if ((m.kind == MCP_REQUEST) != (m.method && m.id))
		abort();
	era = mcp_era_of(&m, NULL);
	if (mcp_era_check(era, &m, &no) != ERR_OK)
		check_line(mcp_message_error(m.id, &no));
	(void)mcp_era_takes_tasks(era, &m);
	mcp_message_done(&m);
	return 0;
}
