// goes-on.mjs TEXT --ready-file FILE: a model that always says TEXT, streamed
// word by word, and that goes on from a given beginning of it when it is asked
// in the way that its model name says (prefix, prefill, final); a beginning
// that is none, or a question in another way, is a 400.
import fs from 'node:fs';
import http from 'node:http';

const text = process.argv[2];
const given = (ask, url) => {
  const last = ask.messages.at(-1);
  const ways = {
    prefix: () => last.prefix === true && url.startsWith('/v1/'),
    prefill: () => !('prefix' in last) && !/\s$/.test(last.content) && !('continue_final_message' in ask),
    final: () => ask.continue_final_message === true && ask.add_generation_prompt === false,
  };
  if (last.role !== 'assistant') return '';
  return text.startsWith(last.content) && ways[ask.model]() ? last.content : null;
};
const server = http.createServer(async (req, res) => {
  let body = '';
  for await (const d of req) body += d;
  let ask;
  try { ask = JSON.parse(body); } catch { return res.writeHead(404).end(); } // somebody looks around
  const from = given(ask, req.url);
  if (from === null || ask.model === 'full') {
    res.writeHead(400, { 'content-type': 'application/json' });
    const error = ask.model === 'full' ? { message: 'too long', code: 'context_length_exceeded' } : { message: 'not the beginning' };
    return res.end(JSON.stringify({ error }));
  }
  const id = 'chatcmpl-second', words = text.slice(from.length).match(/\s*\S+|\s+$/g) ?? [];
  const usage = { prompt_tokens: 10 + from.length, completion_tokens: words.length, total_tokens: 10 + from.length + words.length };
  if (!ask.stream) {
    res.writeHead(200, { 'content-type': 'application/json' });
    return res.end(JSON.stringify({ id, choices: [{ index: 0, message: { role: 'assistant', content: text.slice(from.length) }, finish_reason: 'stop' }], usage }));
  }
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const say = (o) => res.write(`data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1, model: ask.model, ...o })}\n\n`);
  say({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] });
  for (const w of words) say({ choices: [{ index: 0, delta: { content: w }, finish_reason: null }] });
  say({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  if (ask.stream_options?.include_usage) say({ choices: [], usage });
  res.end('data: [DONE]\n\n');
});
server.listen(0, '127.0.0.1', () => {
  const line = `ready upstream=127.0.0.1:${server.address().port}`;
  const at = process.argv.indexOf('--ready-file');
  if (at > 0) fs.writeFileSync(process.argv[at + 1], `${line}\n`);
  console.log(line);
});
process.on('SIGTERM', () => process.exit(0));
