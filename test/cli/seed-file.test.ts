import { expect, test } from 'vitest';
import { runCommand, serve, temporaryFile } from './served.js';

/** What `serve` says of a seed file that it does not take. */
async function complaintOf(...lines: readonly string[]): Promise<string> {
  const seed = await temporaryFile('seed.yaml', lines.join('\n'));
  const { exitCode, complaints } = await runCommand(['serve', '--port', '0', '--seed', seed]);
  expect(exitCode).toBe(2);
  return complaints;
}

test('a phone needs no quotes, although YAML takes it for a number', async () => {
  const lines = [
    'contacts:',
    '  - phone: +442071838750',
    '    properties: { mobile: +15551234567, visits: 3 }',
  ];
  const { ask } = await serve('--seed', await temporaryFile('seed.yaml', lines.join('\n')));
  expect(await (await ask('/control/seed')).json()).toMatchObject({
    contacts: [{ phone: '+442071838750', properties: { mobile: '+15551234567', visits: 3 } }],
  });
});

test('the seed that a running server gives is one to begin with, as it is', async () => {
  const first = await serve('--quota', '5');
  await first.ask('/api/v1/contacts', { phone: '+442071838750', properties: { firstName: 'Zoë' } });
  await first.ask('/api/v1/webhooks', { url: 'https://example.com/hooks', events: ['message.received'] });
  await first.ask('/control/faults', { operation: 'any', nth: 99, fault: { kind: 'stall' } });
  await first.ask('/control/clock/freeze', {});
  const text = await (await first.ask('/control/seed')).text();
  expect(text).toContain('whsec_');
  expect(text).not.toContain('test_key');
  const again = await serve('--seed', await temporaryFile('seed.json', text));
  expect(await (await again.ask('/control/seed')).json()).toEqual(JSON.parse(text));
});

test('no other number is taken for a phone', async () => {
  const complaint = await complaintOf('quota: -1', 'addOnCredits: +5', 'randomSeed: 15551234567');
  expect(complaint).toContain('quota must be zero or more');
  expect(complaint).not.toContain('phone');
});

test('aliases that make a billion values of a few lines are refused in a few words', async () => {
  const list = (item: string) => `[${Array(9).fill(item)}]`;
  const lines = ['x', '*a1', '*a2', '*a3', '*a4'].map(
    (item, line) => `a${line + 1}: &a${line + 1} ${list(item)}`,
  );
  const complaint = await complaintOf(...lines);
  expect(complaint).toContain('Excessive alias count');
  expect(complaint.length).toBeLessThan(400);
});
