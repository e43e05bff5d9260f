import { readFileSync } from 'node:fs';
import * as client from 'messaging-automation';
import * as server from 'messaging-automation/server';
import * as webhooks from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';

test('the guide on errors has every error class that the package exports', () => {
  const guide = readFileSync(repositoryFile('docs/guides/errors.md'), 'utf8');
  const classes = [client, webhooks, server].flatMap((entry) =>
    Object.keys(entry).filter((name) => name.endsWith('Error')),
  );
  expect(classes).toContain('QuotaExceededError');
  expect(classes.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});
