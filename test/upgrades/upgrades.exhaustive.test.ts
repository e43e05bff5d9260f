import { describe, expect, test } from 'vitest';
import { longestTelling, missingHistory, tellTable, unlessMissing } from './told-table.js';

describe.skipIf(missingHistory)(`an upgrade with data${unlessMissing}`, () => {
  test(
    'leaves everything that was in flight where it should be',
    async () => {
      const { count, wrong, ending } = await tellTable('--quick');
      expect(wrong).toEqual([]);
      expect(count).toBeGreaterThan(90);
      expect(ending).toBe('ended with exit code 0');
    },
    longestTelling,
  );
});
