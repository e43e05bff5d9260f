import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  checkpointOf,
  readStandings,
  type Standing,
  Standings,
} from '../../../src/client/bulk/checkpoint.js';

const states = ['done', 'rejected', 'unknown', 'open'] as const;

test('each item has the state that was set last, and the lists have no two ranges that one could join', () => {
  const change = fc.record({ first: fc.nat(20), more: fc.nat(4), standing: fc.constantFrom(...states) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const standings = new Standings();
      const model = new Map<number, Standing>();
      for (const { first, more, standing } of changes) {
        standings.set([first, first + more], standing);
        for (let index = first; index <= first + more; index += 1) model.set(index, standing);
      }

      for (let index = 0; index <= 25; index += 1) expect(standings.of(index)).toBe(model.get(index));
      for (const state of states) {
        const [...list] = standings.lists()[state] ?? [];
        expect(standings.counts[state]).toBe([...model.values()].filter((value) => value === state).length);
        for (const [position, [first]] of list.slice(1).entries())
          expect(first).toBeGreaterThan((list[position]?.[1] ?? 0) + 1);
      }
      const saved = checkpointOf('transactional.send', standings);
      const { open: _, ...counts } = standings.counts;
      expect(readStandings(saved, 'transactional.send')?.counts).toMatchObject(counts);
    }),
    { numRuns: 200 },
  );
});

test('changes after a checkpoint are read in their order', () => {
  const checkpoint = {
    version: 2,
    operation: 'transactional.send',
    done: [[0, 4]],
    rejected: [],
    unknown: [[5, 9]],
  };
  const changes = [
    { done: [[5, 6]], open: [[7, 7]] },
    { unknown: [[6, 6]], rejected: [[10, 10]] },
  ];
  const standings = readStandings([checkpoint, ...changes], 'transactional.send');

  expect(standings && checkpointOf('transactional.send', standings)).toEqual({
    ...checkpoint,
    done: [[0, 5]],
    rejected: [[10, 10]],
    unknown: [
      [6, 6],
      [8, 9],
    ],
  });
});
