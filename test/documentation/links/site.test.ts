import { expect, test } from 'vitest';
import { deadLinksOfSite } from '../../../scripts/site/dead-links-of-site.js';
import { folderWith } from '../folder.js';

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
