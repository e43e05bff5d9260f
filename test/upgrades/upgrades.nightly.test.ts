import { describe, expect, test } from 'vitest';
import { longestTelling, missingHistory, tellTable, unlessMissing } from './told-table.js';

describe.skipIf(missingHistory)(`an upgrade of a database of 0.1.0${unlessMissing}`, () => {
  test(
    'leaves everything that was in flight where it should be',
    async () => {
      const { count, wrong, ending } = await tellTable(
        '--from',
        '0.1.0',
        '--only',
        'database-stopped,database-rolling',
      );
      expect(wrong).toEqual([]);
      expect(count).toBe(11);
      expect(ending).toBe('ended with exit code 0');
    },
    longestTelling,
  );
});
