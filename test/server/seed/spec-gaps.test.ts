import { parseWorkspaceSeed, type SpecGaps } from 'messaging-automation/server';
import { expect, expectTypeOf, test } from 'vitest';
import type * as z from 'zod/mini';
import { defaultSpecGaps, specGapChoices } from '../../../src/server/model/spec-gaps.js';
import type { specGapsSchema } from '../../../src/server/seed/spec-gaps-schema.js';

test('every gap can be set to every value that it has, its default first', () => {
  for (const [name, [first, ...others]] of Object.entries(specGapChoices)) {
    expect(defaultSpecGaps).toMatchObject({ [name]: first });
    expect(others.length, name).toBeGreaterThan(0);
    for (const value of [first, ...others]) {
      expect(parseWorkspaceSeed({ specGaps: { [name]: value } }).specGaps).toEqual({ [name]: value });
    }
  }
  expect([...Object.keys(specGapChoices), 'retryBackoff', 'rateLimit'].sort()).toEqual(
    Object.keys(defaultSpecGaps).sort(),
  );
});

test('the types of the gaps are those of their values', () => {
  expectTypeOf<SpecGaps['errorBody']>().toEqualTypeOf<
    'nested' | 'flat' | 'code' | 'text' | 'html' | 'empty'
  >();
  expectTypeOf<SpecGaps['unauthorizedStatus']>().toEqualTypeOf<401 | 403>();
  expectTypeOf<Partial<SpecGaps>>().toEqualTypeOf<z.output<typeof specGapsSchema>>();
});

test('the defaults are right themselves', () => {
  expect(parseWorkspaceSeed({ specGaps: defaultSpecGaps }).specGaps).toEqual(defaultSpecGaps);
});
