import fc from 'fast-check';
import type { JourneyStepSeed } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { journeyAsSeed } from '../../../src/server/seed/as-seed.js';
import { compileJourney } from '../../../src/server/seed/journey-seed.js';
import { startServer } from '../support/reference.js';

const on = { property: 'vip', equals: true } as const;

test.each<[string, readonly JourneyStepSeed[]]>([
  ['with waits', [{ wait: '1d' }, { wait: '36h' }, { wait: '90m' }, { wait: '1500ms' }, { wait: '0ms' }]],
  ['with variables', [{ send: 'b', variables: { '1': { event: 'orderId' }, '2': 'x' } }, { send: 'a' }]],
  [
    'with branches at the end of branches',
    [
      {
        branch: on,
        do: [{ branch: on, do: [{ send: 'a' }], else: [{ send: 'a' }] }],
        else: [{ branch: on, else: [{ send: 'a' }] }],
      },
      { branch: on, do: [{ branch: on, do: [{ branch: on, do: [{ send: 'a' }] }] }] },
    ],
  ],
])('a journey is listed as it was written %s', async (_, steps) => {
  // A journey may only name what there is, with a value for each placeholder.
  const server = startServer({
    templates: [
      { id: 'a', body: 'A' },
      { id: 'b', body: '{{1}} {{2}}' },
    ],
  });
  const journey = { id: 'j', event: 'seen', steps };
  expect(await server.journeys.put(journey)).toEqual(journey);
  expect(await server.journeys.list()).toEqual([journey]);
});

const { steps } = fc.letrec<{ steps: readonly JourneyStepSeed[]; step: JourneyStepSeed }>((tie) => ({
  steps: fc.array(tie('step'), { minLength: 1, maxLength: 3 }),
  step: fc.oneof(
    { maxDepth: 4 },
    fc.record({ wait: fc.nat(10_000_000) }),
    fc.record({ send: fc.constantFrom('a', 'b') }),
    fc.record({ branch: fc.constant(on), do: tie('steps'), else: tie('steps') }),
    fc.record({ branch: fc.constant(on), do: tie('steps') }),
    fc.record({ branch: fc.constant(on), else: tie('steps') }),
  ),
}));

test('what is listed means the same as what was written', () => {
  fc.assert(
    fc.property(steps, (written) => {
      const compiled = compileJourney({ id: 'j', event: 'e', steps: written });
      const listed = journeyAsSeed(compiled);
      expect(compileJourney(listed)).toEqual(compiled);
      expect(JSON.stringify(listed).match(/"branch"/g)).toEqual(JSON.stringify(written).match(/"branch"/g));
    }),
  );
});
