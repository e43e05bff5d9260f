import { expect, test } from 'vitest';
import { findSections, readGuides } from '../../src/mcp/guides.js';
import { repositoryFile } from '../repository.js';

const guides = [
  {
    file: 'one.md',
    text: '# Retries\n\nAbout them.\n\n## Set the timeout\n\nSay `timeout`.\n\n```sh\n# a comment\n```\n',
  },
  { file: 'two.md', text: '# Webhooks\n\n## Verify a signature\n\nRetries of deliveries are signed, too.\n' },
];

test('a word of a heading counts more than one of the text', () => {
  const found = findSections(guides, 'retry', 5).map(({ file, heading }) => [file, heading]);
  expect(found).toEqual([
    ['one.md', 'Retries'],
    ['one.md', 'Set the timeout'],
    ['two.md', 'Verify a signature'],
  ]);
});

test('a comment in code is no heading, and common words find nothing', () => {
  expect(findSections(guides, 'comment', 5)).toMatchObject([
    { heading: 'Set the timeout', text: expect.stringContaining('# a comment') },
  ]);
  expect(findSections(guides, 'how do I', 5)).toEqual([]);
});

test.each([
  ['move the clock from the command line', 'command-line.md'],
  ['retry idempotent timeout', 'retries.md'],
])('“%s” finds %s', async (query, file) => {
  const sections = findSections(await readGuides(repositoryFile('docs/guides')), query, 3);
  expect(sections.map((section) => section.file)).toContain(file);
});
