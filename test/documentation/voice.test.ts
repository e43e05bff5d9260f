import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';

/** Turns of phrase that readers had to read twice, and what to write in their place. */
const phrases: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bunless (told|set|given)\b/i, 'Default: …'],
  [/\b(is|are|was|were|be) told\b(?! (apart|to\b))/i, 'who calls, reports or warns'],
  [/\bfor there to be\b/i, 'so that … exists'],
  [/\bcomes? to (its|their) end\b/i, 'ends, finishes'],
  [/\bcounts? for nothing\b/i, 'is ignored'],
  [/\b(falls?|fell) due\b/i, 'is due'],
  [/\bin the place of\b/i, 'replaces, and not'],
  [/\bnobody any ?more\b/i, 'no … still'],
  [/\bwhat it is told\b/i, 'what it receives'],
  [/\b(document|specification) §|§\d+ of the document\b/i, 'what the document says, or a link to the ledger'],
  [/\bgo(es)? on where\b/i, 'resumes, continues'],
  [/\bis no more than\b/i, 'is only'],
];

const files = execFileSync(
  'git',
  [
    'ls-files',
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'NODE_VERSION_POLICY.md',
    'docs',
    'src',
    'examples',
  ],
  { cwd: repositoryFile('.'), encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => /\.(md|ts|tsx|yaml)$/.test(file));

function findingsIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) =>
    phrases
      // A name in code, such as the title of a test, is no prose.
      .filter(([phrase]) => phrase.test(line.replaceAll(/`[^`]*`/g, '')))
      .map(([, instead]) => `${index + 1}: ${line.trim()} (write: ${instead})`),
  );
}

test('no page, comment or message has a phrase that readers stop at', () => {
  const findings = files.flatMap((file) =>
    findingsIn(readFileSync(repositoryFile(file), 'utf8')).map((finding) => `${file}:${finding}`),
  );
  expect(findings).toEqual([]);
  expect(files.length).toBeGreaterThan(500);
});

test('a phrase that readers stop at is found', () => {
  expect(findingsIn('The default.\nThe server waits a second unless told.')).toEqual([
    '2: The server waits a second unless told. (write: Default: …)',
  ]);
});
