/**
 * Whether a method of a store changes its state. `observedStore` reports each method that writes. A claim ends with the
 * process, so a method that only claims or releases counts as reading.
 */
export type Effect = 'reads' | 'writes';

/** The effect of each method of a port and of its parts. A new method without an effect does not compile. */
export type EffectsOf<Port> = {
  readonly [Member in keyof Port as Port[Member] extends string ? never : Member]: Port[Member] extends (
    ...given: never[]
  ) => infer Given
    ? Given extends Promise<unknown>
      ? Effect
      : EffectsOf<Given>
    : EffectsOf<Port[Member]>;
};

/** The effects of any port. */
export interface Effects {
  readonly [member: string]: Effect | Effects;
}
