// An MCP client as npm's @modelcontextprotocol/sdk makes them, with its defaults: takes a note over http or stdio.
//
//   client.mjs http|stdio
//
// KF_CHAOS_TIMEOUT_MS, where it is set, is the time-out of its requests.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const timeout = process.env.KF_CHAOS_TIMEOUT_MS ? { timeout: Number(process.env.KF_CHAOS_TIMEOUT_MS) } : undefined;
const client = new Client({ name: 'mcp-sdk', version: '1' });
const transport = process.argv[2] === 'http'
  ? new StreamableHTTPClientTransport(new URL(process.env.KF_CHAOS_MCP_URL))
  : new StdioClientTransport({ command: process.env.KF_CHAOS_MCP_COMMAND, env: process.env });
try {
  await client.connect(transport, timeout);
  const { tools } = await client.listTools(undefined, timeout);
  const said = await client.callTool({ name: tools[0].name, arguments: { text: 'milk' } }, undefined, timeout);
  if (said.isError) throw new Error(`the tool failed: ${said.content[0].text}`);
  console.log(JSON.stringify(said));
  process.exit(0);
} catch (e) {
  console.error(`error: ${e?.name}: ${e?.message}`);
  process.exit(1);
}
