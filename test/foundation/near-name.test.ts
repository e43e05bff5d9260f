import { describe, expect, test } from 'vitest';
import { operationNames } from '../../src/contract/operation-name.js';
import { webhookEventTypes } from '../../src/contract/webhook-event-type.js';
import { doYouMean, nearName } from '../../src/foundation/near-name.js';
import { defaultSpecGaps } from '../../src/server/model/spec-gaps.js';
import { seedFields } from '../../src/server/seed/workspace-seed.js';

const groups: Readonly<Record<string, readonly string[]>> = {
  'the fields of a seed': seedFields,
  'the operations': operationNames,
  'the events': webhookEventTypes,
  'the gaps': Object.keys(defaultSpecGaps),
  'the options of a client': ['apiKey', 'baseUrl', 'timeout', 'maxRetries', 'headers', 'fetch', 'logger'],
};

/** A name as hands write it wrongly, in every place: two letters swapped, one left out, one doubled, another one, other cases. */
function slipsOf(name: string): readonly string[] {
  const places = [...name].slice(1).map((_, index) => index + 1);
  return [
    name.toUpperCase(),
    name.toLowerCase(),
    ...places.flatMap((place) => {
      const [before, letter, after] = [name.slice(0, place), name.charAt(place), name.slice(place + 1)];
      return [
        name.slice(0, place - 1) + letter + name.charAt(place - 1) + after,
        before + after,
        before + letter + letter + after,
        `${before}x${after}`,
      ];
    }),
  ];
}

test.each(Object.entries(groups))('%s: each slip of a name finds the name', (_, names) => {
  const missed = names.flatMap((name) =>
    slipsOf(name)
      .filter((slip) => !names.includes(slip) && nearName(slip, names) !== name)
      // A slip of a short name is as close to nothing as to the name.
      .filter((slip) => name.length > 4 && (name.length > 6 || !slip.includes('x'))),
  );
  expect(missed).toEqual([]);
});

describe('the nearest name', () => {
  test.each([
    ['wiat', ['wait', 'branch', 'send'], 'wait'],
    ['url', ['apiKey', 'baseUrl'], 'baseUrl'],
    ['timeoutMs', ['apiKey', 'timeout'], 'timeout'],
    ['order_placd', ['order_placed', 'order_paid'], 'order_placed'],
    ['x', ['id', 'url', 'events'], undefined],
    ['flavour', seedFields, undefined],
    ['', seedFields, undefined],
    ['anything', [], undefined],
    ['', [], undefined],
  ])('of %j among %j is %j', (name, known, near) => {
    expect(nearName(name, known)).toBe(near);
  });

  test('is the first of two that are equally close, and compares the start of long names alone', () => {
    expect(nearName('ab', ['abc', 'abd'])).toBe('abc');
    expect(nearName('z'.repeat(1e6), ['z'.repeat(60)])).toBe('z'.repeat(60));
  });

  test('is a hint in a sentence, or else what the caller says', () => {
    expect(doYouMean('qota', ['quota'])).toBe(' (do you mean quota?)');
    expect(doYouMean('x', ['quota'])).toBe('');
    expect(doYouMean('x', ['quota'], '.')).toBe('.');
  });
});
