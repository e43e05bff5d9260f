import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  checkpointOf,
  type ItemStatus,
  ItemStatuses,
  readItemStatuses,
} from '../../../src/client/bulk/checkpoint.js';

const states = ['done', 'rejected', 'unknown', 'keyed', 'open'] as const;

test('each item has the state that was set last, and the lists have no two ranges that one could join', () => {
  const change = fc.record({ first: fc.nat(20), more: fc.nat(4), status: fc.constantFrom(...states) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const statuses = new ItemStatuses();
      const model = new Map<number, ItemStatus>();
      for (const { first, more, status } of changes) {
        statuses.set([first, first + more], status);
        for (let index = first; index <= first + more; index += 1) model.set(index, status);
      }

      for (let index = 0; index <= 25; index += 1) expect(statuses.of(index)).toBe(model.get(index));
      for (const state of states) {
        const [...list] = statuses.lists()[state] ?? [];
        expect(statuses.counts[state]).toBe([...model.values()].filter((value) => value === state).length);
        for (const [position, [first]] of list.slice(1).entries())
          expect(first).toBeGreaterThan((list[position]?.[1] ?? 0) + 1);
      }
      const saved = checkpointOf('transactional.send', statuses);
      const { open: _, ...counts } = statuses.counts;
      expect(readItemStatuses(saved, 'transactional.send')?.counts).toMatchObject(counts);
    }),
    { numRuns: 200 },
  );
});

test('changes after a checkpoint are read in their order', () => {
  const checkpoint = {
    version: 3,
    operation: 'transactional.send',
    done: [[0, 4]],
    rejected: [],
    unknown: [[5, 9]],
    keyed: [[12, 13]],
  };
  const changes = [
    { done: [[5, 6]], open: [[7, 7]] },
    { unknown: [[6, 6]], rejected: [[10, 10]], keyed: [[8, 8]] },
  ];
  const statuses = readItemStatuses([checkpoint, ...changes], 'transactional.send');

  expect(statuses && checkpointOf('transactional.send', statuses)).toEqual({
    ...checkpoint,
    done: [[0, 5]],
    rejected: [[10, 10]],
    unknown: [
      [6, 6],
      [9, 9],
    ],
    keyed: [
      [8, 8],
      [12, 13],
    ],
  });
});
