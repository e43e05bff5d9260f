import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { packageVersion } from '../../src/foundation/version.js';

test('the version that the sources name is that of the package', () => {
  const manifest: unknown = createRequire(import.meta.url)('../../package.json');

  expect(manifest).toMatchObject({ version: packageVersion });
});
