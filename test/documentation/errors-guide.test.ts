import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { publicEntries } from '../public-entries.js';
import { repositoryFile } from '../repository.js';
import { errorExamples } from './error-examples.js';

const guide = readFileSync(repositoryFile('docs/guides/errors.md'), 'utf8');

/** The text under each heading that is the name of a class. */
const sections = new Map(
  [...guide.matchAll(/^### `(\w+)`\n([\s\S]*?)(?=^##)/gm)].map(([, name = '', text = '']) => [name, text]),
);

const classes = new Map<string, unknown>();
for (const { source } of publicEntries) {
  const exported: Record<string, unknown> = await import(/* @vite-ignore */ source);
  for (const [name, value] of Object.entries(exported)) {
    if (typeof value === 'function' && value.prototype instanceof Error) classes.set(name, value);
  }
}

test('the guide on errors has a section on each error class that the package exports, and on no other', () => {
  expect([...sections.keys()].toSorted()).toEqual([...classes.keys()].toSorted());
});

const report = readFileSync(repositoryFile('api/webhooks.api.md'), 'utf8');
const reasons = [...report.matchAll(/^export type (\w+?)(?:Error)?Reason = ([^;]+);/gm)].map(
  ([, name = '', union = '']) =>
    [`${name}Error`, [...union.matchAll(/'(\w+)'/g)].map(([, reason]) => reason)] as const,
);

test.each(reasons)('the section on %s has each reason: %j', (name, all) => {
  const text = sections.get(name) ?? '';
  expect(all.filter((reason) => !text.includes(`\`${reason}\``))).toEqual([]);
});

const bases = ['MessagingAutomationError', 'RequestError'];

test.each([...sections].filter(([name]) => !bases.includes(name)))(
  'the example of %s is what its error says',
  async (name, text) => {
    const [, example = ''] = /^- Example: `([^`]+)`$/m.exec(text) ?? [];
    expect(example).not.toBe('');
    // An error that quotes the service may go on with its words.
    const error: unknown = await errorExamples[name]?.().catch((thrown) => thrown);
    expect(error).toHaveProperty('name', name);
    expect(error).toHaveProperty('message', expect.stringContaining(example.replaceAll(/\s+/g, ' ')));
  },
);
