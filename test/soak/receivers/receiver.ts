import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';

// A receiver of deliveries in a process of its own, which may be killed at any moment. It writes each request down
// before it does anything else, and what is written stays. It runs as plain JavaScript, started by receivers.ts, and
// imports nothing but Node's modules.

const [port, file, seed, acknowledges] = process.argv.slice(1);
const seen = new Map<string, number>();

const fail = (response: ServerResponse) => response.writeHead(500).end();
const redirect = (response: ServerResponse) => response.writeHead(302, { Location: '/elsewhere' }).end();
const reset = (response: ServerResponse) => response.socket?.resetAndDestroy();
const neverAnswer = () => {};
const breakOff = (response: ServerResponse) => {
  response.writeHead(200, { 'Content-Length': 100 }).write('{"ok"');
  setTimeout(() => response.destroy(), 5);
};
/** What it does with a request that it does not acknowledge. Drawn from the seed, the bytes, and how often they came. */
const manners = [fail, fail, fail, redirect, redirect, reset, reset, breakOff, breakOff, neverAnswer];

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The server gave the attempt up before all of it was here: nothing was received.
    return;
  }
  const digest = createHash('sha256').update(Buffer.concat(chunks)).digest('hex');
  const path = request.url ?? '';
  const time = (seen.get(path + digest) ?? 0) + 1;
  seen.set(path + digest, time);
  const drawn = createHash('sha256').update(`${seed} ${path} ${digest} ${time}`).digest();
  const acknowledged = drawn.readUInt32BE(0) / 2 ** 32 < Number(acknowledges);
  const signature = String(request.headers['x-service-signature']);
  appendFileSync(file ?? '', `${JSON.stringify({ path, signature, digest, acknowledged })}\n`);
  if (acknowledged) {
    const slowly = drawn.readUInt32BE(4) % 8 === 0;
    setTimeout(() => response.writeHead(204).end(), slowly ? 40 : 0);
  } else {
    manners[drawn.readUInt32BE(4) % manners.length]?.(response);
  }
});

server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined });
});
// Whoever started it is gone.
process.on('disconnect', () => process.exit());
