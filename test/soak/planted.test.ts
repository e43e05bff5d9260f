import { expect, test } from 'vitest';
import { edited, filesWith, plantedFaults } from './planted/faults.js';

const sources = new URL('../../src/', import.meta.url);

test.each(plantedFaults.map((fault) => [fault.name, fault] as const))(
  'the planted fault %s fits the sources',
  (_, fault) => {
    expect(filesWith(fault, sources).size).toBeGreaterThan(0);
  },
);

test('an edit whose text is not there exactly once is an error that names it', () => {
  const edit = { file: 'a.ts', find: 'one', replace: 'two' };
  expect(edited('a one b', edit, 'fault')).toBe('a two b');
  expect(() => edited('a b', edit, 'fault')).toThrow('The fault fault does not fit: src/a.ts has not the');
  expect(() => edited('one one', edit, 'fault')).toThrow('more than once the text\none');
});
