import { once } from 'node:events';
import { createServer, type ServerHttp2Session } from 'node:http2';
import { createWebhookReceiver, toNodeHandler } from '../../dist/webhooks.js';
import { secret } from './receivers.js';

/** A receiver over HTTP/2 that responds to whoever stalls after a second. It runs in a process of its own. */
const receiver = createWebhookReceiver({ secret, deadline: 1_000, onRefused: () => undefined });
// Node's own bound on a session's memory is out of the way: what the receiver holds is to be seen.
const server = createServer({ maxSessionMemory: 1_000, settings: { maxConcurrentStreams: 1_000 } });
server.on('request', toNodeHandler(receiver.on('message.received', () => undefined)));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.(address?.port);
});

const sessions = new Set<ServerHttp2Session>();
server.on('session', (session) => {
  sessions.add(session);
  session.once('close', () => sessions.delete(session));
});

/** Asked, it says how many bytes it holds once nobody is connected and its garbage is collected. */
process.on('message', async () => {
  await Promise.all([...sessions].map((session) => once(session, 'close')));
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise(setImmediate);
    globalThis.gc?.();
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  process.send?.(heapUsed + external + arrayBuffers);
});
