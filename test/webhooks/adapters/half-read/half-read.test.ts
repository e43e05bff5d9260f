import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { PassThrough, pipeline } from 'node:stream';
import { toNodeHandler } from 'messaging-automation/webhooks';
import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../../server/support/manual-clock.js';
import { until, within } from '../../../waiting.js';
import { portOf } from '../support/environment.js';
import { recordingReceiver } from '../support/receiver.js';
import { delivery } from '../support/sent.js';
import { honoStream, nodeHttp } from './environments.js';
import { describeReaders } from './matrix.js';
import { readersOfStream } from './readers.js';

describeReaders([nodeHttp], readersOfStream);
describeReaders(
  [honoStream],
  readersOfStream.filter(({ name }) => ["waits for once('data')", 'reads a piece and pauses'].includes(name)),
);

/** A sender of the first bytes of a body, which keeps back the rest. */
async function halfSent(read: (request: IncomingMessage) => unknown) {
  const { receiver, told } = recordingReceiver({ clock: new ManualClock() });
  const handle = toNodeHandler(receiver);
  const server = createServer(async (request, response) => {
    await read(request);
    await handle(request, response);
  });
  const socket = connect({ port: await portOf(server), host: '127.0.0.1' }).setEncoding('latin1');
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  const headers = delivery()
    .headers.map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  socket.write(
    `POST / HTTP/1.1\r\nHost: example.com\r\n${headers}Content-Length: 1000\r\n\r\n{"event":"message`,
  );
  return { socket, told };
}

const atOnce = [
  "waits for once('data')",
  'reads a piece and pauses',
  'is piped to something that takes one piece',
  'is piped and unpiped',
  'breaks off an iteration and keeps the stream',
  'takes ten bytes',
];

test.each(readersOfStream.filter(({ name }) => atOnce.includes(name)))(
  'is named before the rest of the body has come: $name',
  async ({ read }) => {
    const { socket, told } = await halfSent(read);
    const [response] = await within('the response', once(socket, 'data'));
    expect(response).toContain('HTTP/1.1 500 ');
    expect(told).toMatchObject([{ reason: 'consumed' }]);
  },
);

test.each<[string, (request: IncomingMessage) => unknown]>([
  ['nothing', () => undefined],
  ['something that is piped to', (request) => void request.pipe(new PassThrough().resume())],
  ['a pipeline', (request) => void pipeline(request, new PassThrough().resume(), () => {})],
])('a sender who disconnects is not taken for a reader, behind %s', async (_, read) => {
  let received: IncomingMessage | undefined;
  const { socket, told } = await halfSent((request) => {
    received = request;
    return read(request);
  });
  await until('the request', () => received !== undefined);
  socket.destroy();
  await until('the refusal', () => told.length > 0);
  expect(told).toMatchObject([{ reason: 'aborted' }]);
});
