// Chaos in a test of your own, for node:test; test_agent.py says how it works.
//
//     node --test examples/agent/
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

test('the agent comes through the storm', async (t) => {
  const chaos = spawn(process.env.KF_CHAOS ?? 'build/kf-chaos', ['--scenario', here('storm.json'), '--admin', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => chaos.kill('SIGKILL'));
  const lines = createInterface({ input: chaos.stdout });
  const [ready = ''] = await Promise.race([once(lines, 'line'), once(lines, 'close')]); // ready model=127.0.0.1:PORT admin=...
  const model = ready.match(/model=(\S+)/)?.[1];
  assert.ok(model, 'kf-chaos says above why it does not start');

  const agent = spawn(process.execPath, [here('agent.mjs')], {
    env: { ...process.env, OPENAI_BASE_URL: `http://${model}/v1` },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  assert.deepEqual(await once(agent, 'exit'), [0, null]);

  chaos.kill('SIGTERM');
  assert.deepEqual(await once(chaos, 'exit'), [0, null], 'both faults were met');
});
