import { expect, test } from 'vitest';
import { allDisruptions, planDisruptions } from './disruptions.js';

const settings = {
  seed: 7,
  duration: 120_000,
  replicas: 3,
  kinds: allDisruptions,
  stop: [12_000, 16_000],
} as const;

test('a seed gives the same disruptions again, and another seed others', () => {
  expect(planDisruptions(settings)).toEqual(planDisruptions(settings));
  expect(planDisruptions({ ...settings, seed: 8 })).not.toEqual(planDisruptions(settings));
});

test('two minutes hold every kind of disruption at least twice', () => {
  const kinds = planDisruptions(settings).map(({ kind }) => kind);

  for (const kind of allDisruptions) expect(kinds.filter((each) => each === kind).length).toBeGreaterThan(1);
});

test.each([1, 2, 3, 4, 5])('with the seed %i one replica of three is always let be', (seed) => {
  const busy = planDisruptions({ ...settings, seed, duration: 600_000 }).flatMap((each) => {
    if (each.kind === 'restart database' || each.kind === 'cut connections') return [];
    const length = each.kind === 'stop' ? each.stoppedFor : each.downFor;
    return [{ replica: each.replica, from: each.at, until: each.at + length }];
  });

  for (const { from } of busy) {
    const down = busy.filter((each) => each.from <= from && from <= each.until);
    expect(new Set(down.map(({ replica }) => replica)).size).toBe(down.length);
    expect(down.length).toBeLessThan(3);
  }
});

test('a single replica is disrupted too, and only by what is asked for', () => {
  const plan = planDisruptions({ ...settings, replicas: 1, kinds: ['stop'], stop: [1_000, 2_000] });

  expect(plan.length).toBeGreaterThan(5);
  expect(new Set(plan.map(({ kind }) => kind))).toEqual(new Set(['stop']));
});
