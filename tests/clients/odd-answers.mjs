// odd-answers.mjs: a model whose answers are JSON that a strict reader refuses, and are not counted.
//
//   odd-answers.mjs --ready-file FILE    speaks chat and messages; the model's name says what:
//                                        odd, plain (a thousand bytes, no usage), broken (no JSON)
import http from 'node:http';
import fs from 'node:fs';

const LONG = 'x'.repeat(1000), BIG = '99999999999999999999999';
const chat = (delta, more = '') => `data: {"id":"i","model":"m",${more}"choices":[{"index":0,"delta":{"content":"${delta}"}}]}\n\n`;
const messages = (text, more = '') => `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,${more}"delta":{"type":"text_delta","text":"${text}"}}\n\n`;
const ends = {
  chat: 'data: {"id":"i","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  messages: 'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
};
const begin = 'event: message_start\ndata: {"type":"message_start","message":{"id":"i","model":"m"}}\n\n';

function answer(api, what, isStream) {
  const say = api === 'chat' ? chat : messages;
  if (!isStream)
    return api === 'chat' ? `{"id":"i","choices":[{"index":0,"message":{"content":"${LONG}"},"finish_reason":"stop"}]}`
      : `{"id":"i","content":[{"type":"text","text":"${LONG}"}],"stop_reason":"end_turn"}`;
  const said = {
    plain: say(LONG),
    odd: say('a') + say('\\ud83d') + say('\\ude00') + say('b', `"x":${BIG},`) + say('c', '"x":-1e999,') + say('d', '"x":1,"x":2,'),
    broken: say('a') + say('b', '"x":nonsense,'),
  };
  return (api === 'chat' ? '' : begin) + said[what] + ends[api];
}

const server = http.createServer(async (req, res) => {
  let body = '';
  for await (const d of req) body += d;
  const q = JSON.parse(body);
  res.writeHead(200, { 'content-type': q.stream ? 'text/event-stream' : 'application/json' });
  res.end(answer(req.url.endsWith('/messages') ? 'messages' : 'chat', q.model, q.stream));
});
server.listen(0, '127.0.0.1', () => {
  fs.writeFileSync(process.argv[process.argv.indexOf('--ready-file') + 1], `ready upstream=127.0.0.1:${server.address().port}\n`);
  console.log('ready ');
});
process.on('SIGTERM', () => process.exit(0));
