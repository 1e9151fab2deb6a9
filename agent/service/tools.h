/* The tools' functions and output schemas, for the table in tools.c. */
#ifndef AGENT_SERVICE_TOOLS_H
#define AGENT_SERVICE_TOOLS_H

#include "agent/service/tool.h"

typedef json_t *tool_fn(const struct mcp_tool_ground *g,
    const struct mcp_tool_args *a, json_t *json, struct why *why);

tool_fn tool_list_ops, tool_get_contract, tool_compile, tool_verify, tool_bench,
    tool_get_ledger;
extern const char tool_list_ops_output[], tool_get_contract_output[],
    tool_verdict_output[], tool_bench_output[], tool_get_ledger_output[];

#endif
