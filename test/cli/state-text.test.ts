import { createReferenceServer } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { piecesOf } from '../../src/cli/serve/state-text.js';
import { startServer } from '../server/support/reference.js';

test('the pieces of a state are the JSON of it, whatever it has', async () => {
  const server = startServer({
    now: new Date('2026-01-01T09:00:00Z'),
    contacts: [
      { phone: '+15551234567', properties: { 'a "quoted" name': '🚀\u2028\ud800', tags: [] } },
      { phone: '+15551234568' },
    ],
    templates: [{ id: 'hi', body: 'Hi' }],
    faults: [{ operation: 'any', nth: 9, fault: { kind: 'status', status: 500, body: [null, {}] } }],
  });
  server.workspace({ contacts: [{ phone: '+15551234567' }] });
  await server.settled();
  const empty = createReferenceServer();
  for (const state of [await server.state(), await empty.state()]) {
    expect([...piecesOf(state)].join('')).toBe(`${JSON.stringify(state)}\n`);
  }
  await empty.close();
});

test('no piece of a large state is much longer than others, and one that is too large has an error at its end', async () => {
  const contacts = Array.from({ length: 3_000 }, (_, index) => ({
    phone: `+1555${1_000_000 + index}`,
    properties: { note: 'é'.repeat(100) },
  }));
  const state = await startServer({ contacts }).state();
  const lengths = [...piecesOf(state)].map(({ length }) => length);
  expect(lengths.length).toBeGreaterThan(10);
  expect(Math.max(...lengths)).toBeLessThan(70_000);
  expect([...piecesOf(state)].join('').length).toBeLessThan(1_400_000);
  expect(() => [...piecesOf(state, 1_500_000)]).toThrow('larger than the 1.5 MB that a file of it can have');
  expect(() => [...piecesOf(state, 100_000_000)]).not.toThrow();
});
