import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { guideIndex, readGuides } from '../../scripts/guides.js';
import { isRelative, linksIn } from '../../scripts/package/links.js';
import { publishedManifest } from '../../scripts/package/stage.js';
import { repositoryFile } from '../repository.js';
import { testProject } from './project.js';

const installed = testProject();

const packagedText = (path: string) =>
  readFile(join(installed().folder, 'node_modules/messaging-automation', path), 'utf8');

/** A path with what a build chooses as an asterisk. The guides are one entry, because their index lists them. */
function withoutHashes(path: string): string {
  return path
    .replace(/-[A-Z\d]{8}(?=\.c?js$)/i, '-*')
    .replace(/^dist\/\w+-.*\.d\.cts$/, 'dist/*-*.d.cts')
    .replace(/^docs\/guides\/.*\.md$/, 'docs/guides/*.md');
}

// After a change that is meant: npx vitest run test/package/contents -u
test('holds the files of the committed list, and no other', async () => {
  const names = [...new Set(installed().files.map(withoutHashes))].toSorted();

  await expect(`${names.join('\n')}\n`).toMatchFileSnapshot('contents.txt');
});

test('holds every guide, and their index', () => {
  const packaged = installed().files.filter((path) => path.startsWith('docs/guides/'));

  expect(packaged.toSorted()).toEqual([guideIndex, ...readGuides().map(({ path }) => path)].toSorted());
});

test('has a manifest without scripts, tools and their settings, and with all else', async () => {
  const { scripts, devDependencies, overrides, allowScripts, publishConfig, ...wanted } = JSON.parse(
    await readFile(repositoryFile('package.json'), 'utf8'),
  );

  expect(JSON.parse(await packagedText('package.json'))).toEqual(wanted);
});

test('has the repository, its page and its issues in the manifest where the release knows them', () => {
  const manifest = publishedManifest('{ "name": "messaging-automation" }', {
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'someone/messaging-automation',
  });

  expect(JSON.parse(manifest)).toEqual({
    name: 'messaging-automation',
    repository: { type: 'git', url: 'git+https://github.com/someone/messaging-automation.git' },
    homepage: 'https://github.com/someone/messaging-automation#readme',
    bugs: 'https://github.com/someone/messaging-automation/issues',
  });
});

describe('every link', () => {
  test('of the README leads to a file of the package, as a registry can show it', async () => {
    const { version } = JSON.parse(await packagedText('package.json'));
    const published = `https://cdn.jsdelivr.net/npm/messaging-automation@${version}/`;
    const links = linksIn(await packagedText('README.md'));
    const files = links.filter((link) => link.startsWith(published));

    expect(files).not.toEqual([]);
    expect(files.map(fileOf(published)).filter(isMissing)).toEqual([]);
    expect(links.filter((link) => isRelative(link) || link.startsWith('http:'))).toEqual([]);
  });

  test('of another page leads to a file of the package', async () => {
    const pages = installed().files.filter((path) => /\.md$|^llms\.txt$/.test(path) && path !== 'README.md');
    const dead: string[] = [];
    for (const page of pages) {
      const targets = linksIn(await packagedText(page)).filter(isRelative);
      const paths = targets.map((target) => posix.join(posix.dirname(page), fileOf('')(target)));
      dead.push(...paths.filter(isMissing).map((path) => `${page}: ${path}`));
    }

    expect(dead).toEqual([]);
  });

  const fileOf = (prefix: string) => (link: string) => link.slice(prefix.length).replace(/#.*/, '');
  const isMissing = (path: string) => !installed().files.includes(path);
});

test('llms.txt, for coding agents, has a title, a summary, and a line for each guide in reading order', async () => {
  const index = await packagedText('llms.txt');
  const guides = readGuides().map(({ path }) => path);

  expect(index).toMatch(/^# messaging-automation\n\n> .+\n/);
  expect(linksIn(index).filter((link) => link.startsWith('docs/guides/'))).toEqual(guides);
});
