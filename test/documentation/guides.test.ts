import { expect, test } from 'vitest';
import { readGuides, withCurrentEntries } from '../../scripts/guides.js';

// `readGuides` throws where the index leaves a guide out, or lists one twice or in vain.
test('the index lists every guide once, each under a section, with a title and a summary', () => {
  for (const guide of readGuides()) {
    expect(guide.section).not.toBe('');
    expect(guide.title).not.toBe('');
    expect(guide.summary).toMatch(/^\S.{10,}[.?!]$/);
  }
});

test('an entry is written from its guide, and what is around it stays', () => {
  const index = '# Guides\n\n## Start\n\n- [Old](start.md): Old words.\n\nMore: [a page](other.md).\n';
  const guide = {
    path: 'docs/guides/start.md',
    section: 'Start',
    title: 'Start now',
    summary: 'It takes a minute.',
    text: '',
  };

  expect(withCurrentEntries(index, [guide])).toBe(
    '# Guides\n\n## Start\n\n- [Start now](start.md): It takes a minute.\n\nMore: [a page](other.md).\n',
  );
});
