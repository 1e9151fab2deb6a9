// OpenAI's client of version 4.  It speaks through node-fetch 2, which the
// Node.js 18 of Debian 12 has broken: every chunked answer on a kept
// connection ends there in "Premature close", whoever sends it.  On that
// Node.js the client speaks through fetch instead.
if (process.version.startsWith('v18.')) await import('openai-4/shims/web');
export default (await import('openai-4')).default;
