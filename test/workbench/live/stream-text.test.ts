import { createReferenceServer } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { eventText, idleText } from '../../../src/server/http/control/server-sent-events.js';
import { eventsIn } from '../../../src/workbench/live/stream-text.js';

async function readIn(text: string, pieceLength: number) {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += pieceLength)
        controller.enqueue(bytes.slice(at, at + pieceLength));
      controller.close();
    },
  });
  const events = [];
  for await (const { event, id, data } of eventsIn(body)) events.push({ event, id, data: JSON.parse(data) });
  return events;
}

test.each([1, 2, 7, 10_000])('reads what the server writes, in pieces of %i bytes', async (pieceLength) => {
  const hostile = { text: 'data: x\n\nid: y\r\n: ✓ 📦', list: ['a: b', ''] };
  const text = [
    'retry: 1000\n',
    eventText('start', { latest: 2 }, 'run-0'),
    idleText,
    eventText('entry', hostile, 'run-1'),
    eventText('changed', {}),
    'event: entry\ndata: {"cut": ',
  ];
  expect(await readIn(text.join(''), pieceLength)).toEqual([
    { event: 'start', id: 'run-0', data: { latest: 2 } },
    { event: 'entry', id: 'run-1', data: hostile },
    { event: 'changed', id: undefined, data: {} },
  ]);
});

test('reads the stream of a server', async () => {
  await using server = createReferenceServer();
  await server.simulate.inboundMessage({ phone: '+15551234567', body: 'Hello\n\ndata: 1' });
  const { body } = await server.fetch(
    new Request('http://localhost/control/stream?since=0', {
      headers: { Authorization: `Bearer ${server.apiKey}` },
    }),
  );
  if (body === null) throw new Error('The stream has no body.');
  const names = [];
  for await (const { event, data } of eventsIn(body)) {
    names.push(event);
    if (event === 'entry') {
      expect(JSON.parse(data)).toMatchObject({ number: 1, body: 'Hello\n\ndata: 1' });
      break;
    }
  }
  expect(names).toEqual(['start', 'entry']);
});
