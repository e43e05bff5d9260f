/** Programs that a reader of a skill would write, by the beginning of the claim that they check. */
export type Scenarios = Readonly<Record<string, () => Promise<void>>>;
