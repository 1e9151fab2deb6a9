// OpenAI's client of version 4.  It speaks through node-fetch 2, which looks
// for a listener on the socket to tell a whole answer from a cut one.  Debian's
// Node.js 18, and its 20 since deb13u3, put one there themselves: on these,
// chunked answers of a kept connection end in "Premature close", whoever sends
// them.  Where a server of Node.js's own meets that, the client speaks through
// fetch instead.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const nodeFetch = createRequire(import.meta.url)('node-fetch');

async function readsWholeAnswers() {
  const server = createServer((_, answer) => {
    answer.write('one, ');
    answer.end('two');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  try {
    const answer = await nodeFetch(`http://127.0.0.1:${server.address().port}/`);
    return (await answer.text()) === 'one, two';
  } catch {
    return false;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

if (!(await readsWholeAnswers())) await import('openai-4/shims/web');
export default (await import('openai-4')).default;
