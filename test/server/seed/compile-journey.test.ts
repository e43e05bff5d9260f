import type { JourneyStepSeed } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { compileJourney } from '../../../src/server/seed/compile-journey.js';

const on = { property: 'vip', equals: true } as const;
const send = (id: string) => ({ kind: 'send', templateId: id, variables: {} });
const compiled = (steps: readonly JourneyStepSeed[]) => compileJourney({ id: 'j', event: 'e', steps }).steps;

test.each<[string, readonly JourneyStepSeed[], readonly object[]]>([
  [
    'both',
    [{ branch: on, do: [{ send: 'a' }, { send: 'b' }], else: [{ send: 'c' }] }, { send: 'd' }],
    [
      { kind: 'branch', on, otherwise: 4 },
      send('a'),
      send('b'),
      { kind: 'jump', to: 5 },
      send('c'),
      send('d'),
    ],
  ],
  [
    'do alone',
    [{ branch: on, do: [{ send: 'a' }] }, { send: 'b' }],
    [{ kind: 'branch', on, otherwise: 2 }, send('a'), send('b')],
  ],
  [
    'else alone',
    [{ branch: on, else: [{ send: 'a' }] }, { send: 'b' }],
    [{ kind: 'branch', on, otherwise: 2 }, { kind: 'jump', to: 3 }, send('a'), send('b')],
  ],
  [
    'branches in one another',
    [
      { send: 'a' },
      {
        branch: on,
        do: [{ branch: on, do: [{ send: 'b' }], else: [{ send: 'c' }] }],
        else: [{ branch: on, else: [{ send: 'd' }] }, { send: 'e' }],
      },
    ],
    [
      send('a'),
      { kind: 'branch', on, otherwise: 7 },
      { kind: 'branch', on, otherwise: 5 },
      send('b'),
      { kind: 'jump', to: 6 },
      send('c'),
      { kind: 'jump', to: 11 },
      { kind: 'branch', on, otherwise: 9 },
      { kind: 'jump', to: 10 },
      send('d'),
      send('e'),
    ],
  ],
])('a branch with %s leads on to what stands after it', (_, steps, flat) => {
  expect(compiled(steps)).toEqual(flat);
});
