import ts from 'typescript';
import { expect, test } from 'vitest';
import { readGuides } from '../../scripts/guides.js';
import { publicSymbols } from './public-symbols.js';

// `readGuides` throws where the index leaves a guide out, or lists one twice or in vain.
test('the index lists every guide once, each under a section, with a title and a summary', () => {
  for (const guide of readGuides()) {
    expect(guide.section).not.toBe('');
    expect(guide.title).not.toBe('');
    expect(guide.summary).toMatch(/^\S.{10,}[.?!]$/);
  }
});

/** Who must read more than this to find something stops reading. */
const mostWords = 22_000;

test('the guides are short', () => {
  const words = readGuides().flatMap(({ text }) => text.split(/\s+/));

  expect(words.length).toBeLessThanOrEqual(mostWords);
});

/** The guide where people look for the options of a type. */
const guideOf = {
  ClientOptions: 'client',
  WebhookReceiverOptions: 'receive-webhooks',
  BulkOptions: 'bulk',
  SendManyOptions: 'bulk',
  TrackManyOptions: 'bulk',
  ReferenceServerOptions: 'prepare-a-workspace',
  PostgresStoreOptions: 'share-one-service',
};

test.each(Object.entries(guideOf))('each option of %s is in a table of the guide %s', (type, name) => {
  const guide = readGuides().find(({ path }) => path.endsWith(`/${name}.md`));
  const rows = guide?.text.split('\n').filter((line) => line.startsWith('| `')) ?? [];
  const listed = rows.flatMap((row) => row.split(' | ', 1)).flatMap((cell) => cell.match(/(?<=`)\w+/g));

  const options = ownMembersOf(type);
  expect(options).not.toEqual([]);
  expect(options.filter((option) => !listed.includes(option))).toEqual([]);
});

/** The members that the type declares itself, and not one that it extends. */
function ownMembersOf(type: string): readonly string[] {
  const declarations = publicSymbols().flatMap(({ name, declarations }) =>
    name.endsWith(`: ${type}`) ? declarations : [],
  );
  return declarations
    .filter(ts.isInterfaceDeclaration)
    .flatMap(({ members }) => members.map(({ name }) => name?.getText() ?? ''));
}
