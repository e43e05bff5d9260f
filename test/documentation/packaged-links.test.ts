import { describe, expect, test } from 'vitest';
import { linksIn, withLinks } from '../../scripts/package/links.js';
import { pageForPackage, pageForRoot, readmeForRegistry } from '../../scripts/package/packaged-links.js';

describe('the links of a page', () => {
  test('are found and rewritten outside of code, also those around a picture', () => {
    const page = [
      'See [`serve`](a.md#b), `[no](code.md)` and [![alt](picture.png)](page.md).',
      '```md\n[no](fenced.md)\n```',
      '| [cell](c.md) |',
    ].join('\n');

    expect(linksIn(page)).toEqual(['a.md#b', 'picture.png', 'page.md', 'c.md']);
    expect(withLinks(page, (target) => `/${target}`)).toBe(
      [
        'See [`serve`](/a.md#b), `[no](code.md)` and [![alt](/picture.png)](/page.md).',
        '```md\n[no](fenced.md)\n```',
        '| [cell](/c.md) |',
      ].join('\n'),
    );
  });

  test('become text where they lead nowhere', () => {
    const page = 'See [the *code*](a.ts), ![The page](p.png) and [![The page](p.png)](p.html).';

    expect(withLinks(page, () => undefined)).toBe(
      'See the *code*, *Picture: The page* and *Picture: The page*.',
    );
  });
});

test('the README of a registry links the published files, and nothing that is only in the repository', () => {
  const readme =
    '[Guides](docs/guides/README.md#call) [Tests](test/x.ts) [Web](https://example.com) [Here](#here)';

  expect(readmeForRegistry(readme)).toMatch(
    /^\[Guides\]\(https:\/\/cdn\.jsdelivr\.net\/npm\/messaging-automation@[\w.-]+\/docs\/guides\/README\.md#call\) Tests \[Web\]\(https:\/\/example\.com\) \[Here\]\(#here\)$/,
  );
});

test('a guide in the package keeps the links to files of the package', () => {
  const page = '[Ledger](../contract.md#gaps) [Client](client.md) [Example](../../examples/x.ts)';

  expect(pageForPackage(page, 'docs/guides/a.md')).toBe(
    '[Ledger](../contract.md#gaps) [Client](client.md) Example',
  );
  expect(pageForRoot(page, 'docs/guides/a.md')).toBe(
    '[Ledger](docs/contract.md#gaps) [Client](docs/guides/client.md) Example',
  );
});
