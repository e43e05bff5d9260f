import { expect, test } from 'vitest';
import { planRound } from './plan.js';

test('a seed gives the same plan again, and another seed another', () => {
  expect(planRound(7, 3)).toEqual(planRound(7, 3));
  expect(planRound(8, 3)).not.toEqual(planRound(7, 3));
  expect(planRound(7, 4)).not.toEqual(planRound(7, 3));
});

test('a plan comes by every operation before long', () => {
  const kinds = new Set(
    [1, 2, 3, 4]
      .flatMap((number) => planRound(1, number).workspaces)
      .flatMap(({ callers }) => callers.flat())
      .map(({ kind }) => kind),
  );

  expect([...kinds].sort()).toEqual([
    'add fault',
    'advance',
    'burst',
    'close',
    'copy',
    'delete contact',
    'find',
    'get',
    'list subscriptions',
    'list templates',
    'message',
    'redeliver',
    'rotate key',
    'run to idle',
    'send',
    'set clock',
    'subscribe',
    'take faults back',
    'track',
    'unsubscribe',
    'update',
    'upsert',
  ]);
});
