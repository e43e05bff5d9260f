import { expect, test } from 'vitest';
import { readGuides } from '../../scripts/guides.js';

// `readGuides` throws where the index leaves a guide out, or lists one twice or in vain.
test('the index lists every guide once, each under a section, with a title and a summary', () => {
  for (const guide of readGuides()) {
    expect(guide.section).not.toBe('');
    expect(guide.title).not.toBe('');
    expect(guide.summary).toMatch(/^\S.{10,}[.?!]$/);
  }
});
