import { ConfigurationError, createReferenceServer, parseWorkspaceSeed } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';

/** A seed with one journey of these steps, one template with two placeholders, and one segment. */
const seedWith = (...steps: readonly unknown[]) => ({
  templates: [{ id: 'order', body: 'Hello {{1}}, {{2}} is on its way.' }],
  segments: [{ id: 'regulars', event: 'order_placed' }],
  journeys: [{ id: 'j', event: 'e', steps }],
});

const wait = { wait: '1h' };
const isVip = { property: 'tags', includes: 'vip' };
const send = { send: 'order', variables: { '1': 'Ada', '2': { event: 'orderId' } } };

/** Steps in the innermost of so many branches. */
function nested(branches: number): unknown {
  let step: unknown = wait;
  for (let depth = 0; depth < branches; depth += 1) step = { branch: isVip, else: [step] };
  return step;
}

describe('a step', () => {
  test.each<[unknown, string]>([
    [{}, ' must have exactly one of wait, branch and send'],
    ['1h', ' must be an object'],
    [{ wiat: '1h' }, '.wiat is not a known field'],
    [{ wait: 'an hour' }, '.wait must be a duration'],
    [{ wait: -1 }, '.wait must be a duration'],
    [{ wait: '3651d' }, '.wait must be ten years (3650d) or less'],
    [{ ...wait, do: [wait] }, '.do requires branch in the same step'],
    [{ ...wait, variables: {} }, '.variables requires send in the same step'],
    [{ branch: isVip }, '.branch has no steps: add do, else or both'],
    [{ branch: isVip, do: [] }, '.do must not be empty'],
    [{ branch: {}, do: [wait] }, ".branch must be { segment: 'its id' }, or a property and"],
    [{ branch: { ...isVip, exists: true }, do: [wait] }, '.branch must be { segment'],
    [{ branch: { property: 'a', atLeast: '3' }, do: [wait] }, '.branch must be { segment'],
    [{ branch: { segment: 'regular' }, do: [wait] }, '.branch.segment is not the id of a segment'],
    [{ branch: isVip, do: [wait, { wait: 'x' }] }, '.do[1].wait must be a duration'],
    [nested(11), ' is nested too deeply: at most 10 branches can nest'],
    [{ send: 'ordre' }, '.send is not the id of a template'],
    [{ ...send, variables: { '1': 'Ada' } }, ".variables must have a value for the template's placeholder 2"],
    [{ ...send, variables: { ...send.variables, '3': 'x' } }, '.variables.3 is not a placeholder'],
    [{ ...send, variables: { ...send.variables, '2': '' } }, '.variables.2 must not be an empty string'],
    [{ ...send, variables: { ...send.variables, '2': 7 } }, ".variables.2 must be text, { contact: 'a"],
    [
      { branch: isVip, else: [{ branch: isVip, do: [{ send: 'ordre' }] }] },
      '.else[0].do[0].send is not the id',
    ],
  ])('that is not right is refused by field: %j', (step, words) => {
    expect(() => parseWorkspaceSeed(seedWith(wait, step))).toThrow(ConfigurationError);
    const place = /^[ .]/.test(words) ? 'journeys[0].steps[1]' : '';
    expect(() => parseWorkspaceSeed(seedWith(wait, step))).toThrow(
      words.startsWith(' is nested too deeply') ? words : `\n  ${place}${words}`,
    );
  });

  test('that is right is given back', () => {
    const seed = seedWith(
      wait,
      send,
      { branch: { segment: 'regulars' }, do: [send], else: [nested(9)] },
      ...[{ equals: ['a'] }, { equals: 0 }, { exists: false }, { atLeast: 1.5 }, { below: -1 }].map(
        (condition) => ({
          branch: { property: 'a', ...condition },
          do: [wait],
        }),
      ),
      nested(10),
    );
    expect(parseWorkspaceSeed(seed)).toEqual(seed);
  });
});

test.each<[object, string]>([
  [{ journeys: {} }, 'journeys must be an array'],
  [{ journeys: [{ id: 'j', event: 'e' }] }, 'journeys[0].steps is required'],
  [{ journeys: [{ id: 'j', event: 'e', steps: [] }] }, 'journeys[0].steps must not be empty'],
  [
    { journeys: ['e', 'f'].map((event) => ({ id: 'j', event, steps: [wait] })) },
    'journeys[1].id must not repeat an earlier id',
  ],
  [{ segments: [{ id: 's' }] }, 'segments[0].event is required, unless the segment has where'],
  [{ segments: [{ id: 's', event: 'e', where: [isVip] }] }, 'segments[0].where cannot be combined with'],
  [{ segments: [{ id: 's', event: 'e', within: 'a day' }] }, 'segments[0].within must be a duration'],
  [{ segments: [{ id: 's', event: 'e', within: 0 }] }, 'segments[0].within must not be zero'],
  [{ segments: [{ id: 's', where: [] }] }, 'segments[0].where must not be empty'],
  [{ segments: [{ id: 's', where: [isVip], within: '1d' }] }, 'segments[0].within requires event in'],
  [{ segments: [{ id: 's', where: [isVip], atLeast: 1 }] }, 'segments[0].atLeast requires event in'],
  [{ segments: [{ id: 's', where: [isVip, { property: 'a', is: 1 }] }] }, 'segments[0].where[1] must be a'],
  [{ segments: Array(2).fill({ id: 's', event: 'e' }) }, 'segments[1].id must not repeat an earlier id'],
])('a seed that is not right is refused by field: %j', (seed, words) => {
  expect(() => parseWorkspaceSeed(seed)).toThrow(words);
});

test('a step that holds itself is refused, not followed for ever', () => {
  const step: Record<string, unknown> = { branch: isVip };
  step.do = [step];
  expect(() => parseWorkspaceSeed(seedWith(step))).toThrow('is nested too deeply');
});

test('a program gets the error of a journey that does not fit, as a file does', () => {
  expect(() =>
    createReferenceServer({ journeys: [{ id: 'j', event: 'e', steps: [{ send: 'unheard_of' }] }] }),
  ).toThrow('journeys[0].steps[0].send is not the id of a template');
});
