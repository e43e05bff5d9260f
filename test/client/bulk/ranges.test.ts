import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IndexRanges } from '../../../src/client/bulk/index-ranges.js';

test('holds what was added and not deleted, in ascending ranges that neither meet nor touch', () => {
  const change = fc.record({ add: fc.boolean(), index: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const ranges = new IndexRanges();
      const model = new Set<number>();
      for (const { add, index } of changes) {
        ranges[add ? 'add' : 'delete'](index);
        model[add ? 'add' : 'delete'](index);
      }

      expect([...ranges]).toEqual([...model].sort((one, other) => one - other));
      expect(ranges.size).toBe(model.size);
      for (let index = 0; index <= 20; index += 1) expect(ranges.has(index)).toBe(model.has(index));
      const list = ranges.toArray();
      for (const [position, [first]] of list.slice(1).entries())
        expect(first).toBeGreaterThan((list[position]?.[1] ?? 0) + 1);
      expect(new IndexRanges(list).size).toBe(model.size);
    }),
    { numRuns: 200 },
  );
});
