/**
 * Whether a verb changes what is kept. Whoever keeps the state of a server is told of those that write. A claim ends with the
 * process, so a verb that only claims or releases reads.
 */
export type Effect = 'reads' | 'writes';

/** The effect of each verb of a port and of its parts: a new verb does not compile without. */
export type EffectsOf<Port> = {
  readonly [Member in keyof Port as Port[Member] extends string ? never : Member]: Port[Member] extends (
    ...given: never[]
  ) => infer Given
    ? Given extends Promise<unknown>
      ? Effect
      : EffectsOf<Given>
    : EffectsOf<Port[Member]>;
};

/** The effects of some port. */
export interface Effects {
  readonly [member: string]: Effect | Effects;
}
