// An MCP server over standard input and output that answers what the script asks of it.
import { createInterface } from 'node:readline';

const say = (m) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\n');

for await (const line of createInterface({ input: process.stdin })) {
  const m = JSON.parse(line);
  if (m.method === 'notifications/initialized') say({ method: 'notifications/message', params: { data: 'initialized' } });
  else if (m.method === 'die') process.exit(5);
  else if (m.method === 'tools/call') {
    say({ method: 'notifications/progress', params: { progressToken: m.id, progress: 1 } });
    say({ id: m.id, result: { content: [{ type: 'text', text: `the answer is ${m.params.arguments?.n ?? 42}` }] } });
    say({ method: 'notifications/message', params: { data: `after ${m.id}` } });
  } else if (m.method && m.id !== undefined) say({ id: m.id, result: { method: m.method } });
}
