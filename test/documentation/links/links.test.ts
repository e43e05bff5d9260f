import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { deadLinksOfSite } from '../../../scripts/site/dead-links-of-site.js';
import { folderWith } from '../../folder.js';
import { publicEntries } from '../../public-entries.js';
import { repositoryFile } from '../../repository.js';
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

test('the check of Markdown finds planted dead links, and accepts good ones', () => {
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

// `npm run docs` runs the check over the whole site, right after it has built it.
test('the check of the site finds planted dead links, and accepts good ones', () => {
  const folder = folderWith({
    'icons.svg': '<svg xmlns="http://www.w3.org/2000/svg"><g id="good"></g></svg>',
    'index.html':
      '<!DOCTYPE html><html><head><link href="gone.css"></head><body><a href="guides/one.html#part">good</a>' +
      '<a href="">this page</a><a href="#">its top</a><a href="https://example.test/">elsewhere</a>' +
      '<svg><use href="icons.svg#good"></use><use href="icons.svg#gone"></use></svg>' +
      '<pre>&lt;a href="shown.html"&gt;</pre><img src="gone.png"></body></html>',
    'guides/one.html':
      '<h2 id="part">Part</h2><a href="../">home</a><a href="../index.html?query">home</a>' +
      '<a href="two.html">gone</a><a href="#no-part">gone</a><a href="../index.html#no-part">gone</a>',
  });

  expect(deadLinksOfSite(folder).toSorted((a, b) => a.link.localeCompare(b.link))).toEqual([
    { page: 'guides/one.html', link: '../index.html#no-part', reason: 'leads to no anchor' },
    { page: 'guides/one.html', link: '#no-part', reason: 'leads to no anchor' },
    { page: 'index.html', link: 'gone.css', reason: 'leads to no file' },
    { page: 'index.html', link: 'gone.png', reason: 'leads to no file' },
    { page: 'index.html', link: 'icons.svg#gone', reason: 'leads to no anchor' },
    { page: 'guides/one.html', link: 'two.html', reason: 'leads to no file' },
  ]);
});
