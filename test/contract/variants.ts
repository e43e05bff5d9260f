import { type SpecGaps, specGapChoices } from '../../src/server/model/spec-gaps.js';

/** A reference server of which one switch is set otherwise. */
export interface Variant {
  readonly name: string;
  readonly specGaps: Partial<SpecGaps>;
}

/** Each value of each switch that is not its default. */
export const variants: readonly Variant[] = [
  ...Object.entries(specGapChoices).flatMap(([name, [, ...others]]) =>
    others.map((value) => ({ name: `${name}: ${value}`, specGaps: { [name]: value } })),
  ),
  { name: 'retryBackoff: 1 s, 2 s', specGaps: { retryBackoff: ['1s', '2s'] } },
  { name: 'rateLimit: 100 in 1 s', specGaps: { rateLimit: { requests: 100, per: '1s' } } },
];

/** As many switches at once as there are, each at the last of its values. */
export const allAtOnce: Variant = {
  name: 'all switches',
  specGaps: Object.assign({}, ...variants.map(({ specGaps }) => specGaps)),
};

/** Each switch that has a third value, at its second. */
export const secondValues: Variant = {
  name: 'the second value of each switch',
  specGaps: Object.fromEntries(
    Object.entries(specGapChoices).flatMap(([name, [, second, ...more]]) =>
      more.length === 0 ? [] : [[name, second]],
    ),
  ),
};

/** The reference server as it is by default. */
export const defaults: Variant = { name: 'all defaults', specGaps: {} };
