import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { keepOnFailure } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../../folder.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { startService } from '../support/replicas-of-a-service.js';

describe.skipIf(missingPostgres)('a failed test over a shared store', () => {
  const postgres = usePostgres();

  test('leaves no file, and says where its data is', async () => {
    const { one } = await startService(postgres());
    const folder = folderWith({});
    for (const world of [one, one.workspace()]) {
      const body = keepOnFailure(world, () => Promise.reject(new Error('no')), {
        directory: join(folder, 'results'),
      });
      await expect(body()).rejects.toThrow(
        'no\n\nWhat happened in this test is not in a file. state() failed: this reference server keeps its state in a store.',
      );
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});
