import { describe, test } from 'vitest';
import { expectNoAttemptForAReset } from '../../server/support/resets-kept-connections.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { startService } from '../support/replicas-of-a-service.js';

describe.skipIf(missingPostgres)('a delivery over PostgreSQL', () => {
  const postgres = usePostgres();

  test('counts no attempt for a kept connection that is reset', async () => {
    const { one } = await startService(postgres());
    await expectNoAttemptForAReset(one);
  });
});
