import { expect, test } from 'vitest';
import { repositoryFile } from '../../repository.js';
import { promisesGuide } from './guide.js';

test('the page shows what the tests try', async () => {
  await expect(promisesGuide()).toMatchFileSnapshot(repositoryFile('docs/receiver-promises.md'));
});
