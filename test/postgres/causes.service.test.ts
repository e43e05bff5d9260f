import { describe, test } from 'vitest';
import { missingPostgres, useOwnPostgres } from './support/database.js';
import { checkCase, commonCases } from './support/database-cases.js';

describe.skipIf(missingPostgres)('serve says to a caller and to the operator, when', () => {
  const postgres = useOwnPostgres();

  test.each(commonCases)('$done: $status, $code', (databaseCase) =>
    checkCase(postgres().server, databaseCase),
  );
});
