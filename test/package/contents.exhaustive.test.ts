import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guideIndex, readGuides } from '../../scripts/guides.js';
import { deadLinksOfMarkdown } from '../documentation/links/dead-links-of-markdown.js';
import { repositoryFile } from '../repository.js';
import { testProject } from './project.js';

const installed = testProject();

const packageFolder = () => join(installed().folder, 'node_modules/messaging-automation');
const packagedText = (path: string) => readFile(join(packageFolder(), path), 'utf8');

/** A path with what a build chooses as an asterisk. The guides, the decisions, the examples and the charts are an entry each. */
function withoutHashes(path: string): string {
  return path
    .replace(/-[A-Z\d]{8}(?=\.c?js(?:\.gz)?$)/i, '-*')
    .replace(/^dist\/[\w.]+-.*\.d\.cts$/, 'dist/*-*.d.cts')
    .replace(/^(docs\/(?:guides|decisions)|examples|bench\/results)\/.*$/, '$1/*');
}

// After a change that is meant: npx vitest run test/package/contents -u
test('holds the files of the committed list, and no other', async () => {
  const names = [...new Set(installed().files.map(withoutHashes))].toSorted();

  await expect(`${names.join('\n')}\n`).toMatchFileSnapshot('contents.txt');
});

test('has a manifest without the scripts and the dependencies of who works on the package', async () => {
  const fieldsOf = (text: string) => Object.keys(JSON.parse(text));
  const ours = fieldsOf(await readFile(repositoryFile('package.json'), 'utf8'));
  const published = fieldsOf(await packagedText('package.json'));

  expect(ours.filter((field) => !published.includes(field)).toSorted()).toEqual([
    'allowScripts',
    'devDependencies',
    'overrides',
    'scripts',
  ]);
  expect(published.filter((field) => !ours.includes(field))).toEqual([]);
});

test('holds every guide, and their index', () => {
  const packaged = installed().files.filter((path) => path.startsWith('docs/guides/'));

  expect(packaged.toSorted()).toEqual([guideIndex, ...readGuides().map(({ path }) => path)].toSorted());
});

test('has no dead link in its pages, and no picture that is not there', () => {
  const pages = installed().files.filter((path) => /\.md$|^llms\.txt$/.test(path));

  expect(pages).toContain('README.md');
  expect(deadLinksOfMarkdown(packageFolder(), pages)).toEqual([]);
});

// npm shows the README with its links into the repository, so that each must also lead to a committed file.
test('has no page that is not committed', () => {
  const committed = execFileSync('git', ['ls-files'], { cwd: repositoryFile('.'), encoding: 'utf8' }).split(
    '\n',
  );
  const pages = installed().files.filter((path) => path.endsWith('.md'));

  expect(pages.filter((path) => !committed.includes(path))).toEqual([]);
});

test('llms.txt, for coding agents, has a title, a summary, and a line for each guide in reading order', async () => {
  const index = await packagedText('llms.txt');
  const guides = readGuides().map(({ path }) => path);

  expect(index).toMatch(/^# messaging-automation\n\n> .+\n/);
  expect([...index.matchAll(/\]\((docs\/guides\/[^)]+)\)/g)].map(([, path]) => path)).toEqual(guides);
});
