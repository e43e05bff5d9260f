import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { readGuides } from '../../scripts/guides.js';
import { repositoryFile } from '../repository.js';

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

/** The file that declares each type of options, and the guide where people look for them. */
const optionTypes = {
  ClientOptions: ['src/client/configuration.ts', 'client'],
  WebhookReceiverOptions: ['src/webhooks/receiver/receiver-options.ts', 'receive-webhooks'],
  BulkOptions: ['src/client/bulk/options.ts', 'bulk'],
  SendManyOptions: ['src/client/bulk/options.ts', 'bulk'],
  TrackManyOptions: ['src/client/bulk/options.ts', 'bulk'],
  ReferenceServerOptions: ['src/server/options.ts', 'prepare-a-workspace'],
  PostgresStoreOptions: ['src/postgres/options.ts', 'share-one-service'],
} as const;

test.each(Object.entries(optionTypes))(
  'each option of %s is in a table of its guide: %j',
  (type, [file, name]) => {
    const guide = readGuides().find(({ path }) => path.endsWith(`/${name}.md`));
    const rows = guide?.text.split('\n').filter((line) => line.startsWith('| `')) ?? [];
    const listed = rows.flatMap((row) => row.split(' | ', 1)).flatMap((cell) => cell.match(/(?<=`)\w+/g));

    const options = ownMembersOf(type, file);
    expect(options).not.toEqual([]);
    expect(options.filter((option) => !listed.includes(option))).toEqual([]);
  },
);

/** The members that the type declares itself, and not one that it extends. */
function ownMembersOf(type: string, path: string): readonly string[] {
  const text = readFileSync(repositoryFile(path), 'utf8');
  const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  return statements
    .filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => name.text === type)
    .flatMap(({ members }) =>
      members.flatMap(({ name }) => (name && ts.isIdentifier(name) ? name.text : [])),
    );
}
