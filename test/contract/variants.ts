import { type SpecGaps, specGapChoices } from '../../src/server/model/spec-gaps.js';

/** A reference server of which one gap is set otherwise. */
export interface Variant {
  readonly name: string;
  readonly specGaps: Partial<SpecGaps>;
}

/** Each value of each gap that is not its default. */
export const variants: readonly Variant[] = [
  ...Object.entries(specGapChoices).flatMap(([name, [, ...others]]) =>
    others.map((value) => ({ name: `${name}: ${value}`, specGaps: { [name]: value } })),
  ),
  { name: 'retryBackoff: 1 s, 2 s', specGaps: { retryBackoff: ['1s', '2s'] } },
  { name: 'rateLimit: 100 in 1 s', specGaps: { rateLimit: { requests: 100, per: '1s' } } },
];

/** As many gaps at once as there are, each at the last of its values. */
export const allAtOnce: Variant = {
  name: 'all gaps',
  specGaps: Object.assign({}, ...variants.map(({ specGaps }) => specGaps)),
};

const mostValues = Math.max(...Object.values(specGapChoices).map(({ length }) => length));

/** The values between the first and the last, by their place: the second ones of all gaps at once, then the third ones. */
export const valuesBetween: readonly Variant[] = Array.from({ length: mostValues - 2 }, (_, index) => ({
  name: `value ${index + 2} of each gap`,
  specGaps: Object.fromEntries(
    Object.entries(specGapChoices).flatMap(([name, values]) => {
      const value = values.slice(1, -1)[index];
      return value === undefined ? [] : [[name, value]];
    }),
  ),
}));

/** The reference server as it is by default. */
export const defaults: Variant = { name: 'all defaults', specGaps: {} };
