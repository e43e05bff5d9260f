import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { publicEntries } from '../../public-entries.js';
import { repositoryFile } from '../../repository.js';
import { folderWith } from '../folder.js';
import { deadLinksOfMarkdown } from './dead-links-of-markdown.js';

test('every relative link and anchor of the Markdown in the repository leads somewhere', () => {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'];
  const listed = execFileSync('git', words, { cwd: repositoryFile('.'), encoding: 'utf8' });
  const paths = listed.split('\0').filter((path) => path !== '' && existsSync(repositoryFile(path)));

  expect(paths).toContain('README.md');
  expect(deadLinksOfMarkdown(repositoryFile('.'), paths)).toEqual([]);
});

test('the introduction of every module links to guides that exist', () => {
  const paths = publicEntries.map(({ source }) => relative(repositoryFile('.'), source));

  expect(deadLinksOfMarkdown(repositoryFile('.'), paths)).toEqual([]);
});

test('the check finds planted dead links, and accepts good ones', () => {
  const folder = folderWith({
    'docs/a.md': [
      '# The `first` heading, & more',
      '[good](b.md) [anchor](b.md#second-part) [own](#the-first-heading--more) [folder](../docs) ![picture](b.md)',
      '[far](https://example.test/nothing) `[code](nothing.md)`',
      '```md\n[fenced](nothing.md)\n```',
      '[gone](gone.md) ![gone](gone.png) [no anchor](b.md#third-part) [out](../../etc) [own](#gone)',
      '[reference]: gone-too.md',
    ].join('\n\n'),
    'docs/b.md': '# B\n\n## Second part\n',
  });

  expect(deadLinksOfMarkdown(folder, ['docs/a.md', 'docs/b.md'])).toEqual([
    'docs/a.md: gone.md leads to no file',
    'docs/a.md: gone.png leads to no file',
    'docs/a.md: b.md#third-part leads to no anchor',
    'docs/a.md: ../../etc leads to no file',
    'docs/a.md: #gone leads to no anchor',
    'docs/a.md: gone-too.md leads to no file',
  ]);
});
