import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { noCounts } from '../../src/postgres/replica/replica-parts.js';
import { ServerMetrics, storeFamilies } from '../../src/server/http/metrics/server-metrics.js';
import { repositoryFile } from '../repository.js';

const guide = readFileSync(repositoryFile('docs/operations.md'), 'utf8');
const endings = { counter: '_total', info: '_info', gauge: '', histogram: '' };

const health = {
  state: 'ok',
  pool: { total: 0, idle: 0, waiting: 0 },
  lease: 0,
  replica: '',
} as const;

test('the guide names every metric, and no other', () => {
  const families = [...new ServerMetrics().families(undefined), ...storeFamilies(health, {})];
  const names = families.map(({ name, type }) => name + endings[type]);
  const named = guide.match(/\b(messaging_automation|process)_\w+\b/g) ?? [];
  const schemas = ['messaging_automation_jobs'];
  expect([...new Set(named)].filter((name) => !schemas.includes(name)).toSorted()).toEqual(names.toSorted());
});

test('the guide names events of the store that there are', () => {
  const named = [...guide.matchAll(/`event`; `(\w+)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(0);
  expect(Object.keys(noCounts())).toEqual(expect.arrayContaining(named));
});
