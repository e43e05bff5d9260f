import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readGuides } from '../../scripts/guides.js';
import { repositoryFile } from '../repository.js';
import { docCommentBlocks, markdownBlocks } from './code-blocks.js';

// `readGuides` throws where the index leaves a guide out, or lists one twice or in vain.
test('the index lists every guide once, each under a section, with a title and a summary', () => {
  for (const guide of readGuides()) {
    expect(guide.section).not.toBe('');
    expect(guide.title).not.toBe('');
    expect(guide.summary).toMatch(/^\S.{10,}[.?!]$/);
  }
});

test('no sample falls back to a secret or a key that everybody knows, where its variable is not set', () => {
  const examples = readdirSync(repositoryFile('examples'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ origin: path, code: readFileSync(repositoryFile(`examples/${path}`), 'utf8') }));
  const samples = [...markdownBlocks(), ...docCommentBlocks(), ...examples];
  const fallBacks = samples.filter(({ code }) => /(SECRET|KEY)\b\W{0,4}(\?\?|\|\|)\s*['"`][^'"`]/.test(code));

  expect(samples.length).toBeGreaterThan(100);
  expect(fallBacks.map(({ origin }) => origin)).toEqual([]);
});
