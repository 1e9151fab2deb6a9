// naive-fetch.mjs: a client as it is often written first.  Asks a question by
// fetch, streamed, and tries again at once when something throws.
const url = `${process.env.OPENAI_BASE_URL}/chat/completions`;
const body = JSON.stringify({
  model: 'deepseek-v4-flash',
  stream: true,
  messages: [{ role: 'user', content: 'What is the answer?' }],
});

async function ask() {
  const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  let text = '';
  for (const line of (await answer.text()).split('\n')) {
    if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
    text += JSON.parse(line.slice(6)).choices?.[0]?.delta?.content ?? '';
  }
  return text;
}

for (let tries = 1; ; tries++) {
  try {
    console.log(await ask());
    break;
  } catch (e) {
    if (tries === 10) throw e;
  }
}
