import { describe, expect, test } from 'vitest';
import { runCommand, serve } from './served.js';

const inNetwork = 'http://app:3000/hooks';
const onThisMachine = 'http://127.0.0.1:3000/hooks';

describe('serve delivers', () => {
  test.each([
    ['to this machine and public endpoints', [], { [onThisMachine]: 201, [inNetwork]: 400 }],
    ['anywhere', ['--receiver-addresses', 'any'], { [onThisMachine]: 201, [inNetwork]: 201 }],
    ['to public endpoints', ['--receiver-addresses', 'public'], { [onThisMachine]: 400, [inNetwork]: 400 }],
  ])('%s, as told by %j', async (_, words, statuses) => {
    const { ask } = await serve(...words);
    const statusOf = async (url: string) =>
      (await ask('/api/v1/webhooks', { url, events: ['message.received'] })).status;
    expect({
      [onThisMachine]: await statusOf(onThisMachine),
      [inNetwork]: await statusOf(inNetwork),
    }).toEqual(statuses);
  });
});

describe('serve lets pages in', () => {
  const page = 'http://localhost:5173';

  test.each([
    ['no page', [], null],
    ['those of an origin', ['--cors', page], page],
    ['those of one among several', ['--cors', 'https://other.example', page], page],
    ['not those of another origin', ['--cors', 'https://other.example'], null],
    ['all', ['--cors', '*'], page],
  ])('%s, as told by %j', async (_, words, allowed) => {
    const { ask } = await serve(...words);
    const { headers } = await ask('/api/v1/templates', undefined, { headers: { Origin: page } });
    expect(headers.get('access-control-allow-origin')).toBe(allowed);
  });
});

test.each([
  [['--receiver-addresses', 'all'], /Allowed choices are public, loopback, any/],
  [['--cors', 'http://localhost:5173/'], /cors must be '\*' or a list of origins/],
  [['--delivery-timestamps', 'mine'], /Allowed choices are machine, workspace/],
])('serve refuses %j', async (words, complaint) => {
  const { exitCode, complaints } = await runCommand(['serve', '--port', '0', ...words]);
  expect(exitCode).toBe(2);
  expect(complaints).toMatch(complaint);
});
