import { createServer } from 'node:http';
import { answerQuestions } from '../../measure/other-process.js';

/** Gives no response to the first POST of a delivery, and acknowledges the second. */
const first = new Set<string>();
const second = new Map<string, number>();
const server = createServer(async (request, response) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const now = Number(process.hrtime.bigint()) / 1e6;
  const body = Buffer.concat(chunks).toString();
  if (!first.has(body)) {
    first.add(body);
    return;
  }
  if (!second.has(body)) second.set(body, now);
  response.writeHead(204).end();
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address !== 'object' || address === null) return;
  answerQuestions(
    { port: address.port },
    { told: () => ({ first: first.size, second: second.size, last: Math.max(0, ...second.values()) }) },
  );
});
