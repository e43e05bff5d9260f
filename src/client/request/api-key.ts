/** The source of the API key: a string, or a function of the user. */
export interface ApiKeySource {
  /** The key for a call. */
  current(): string | Promise<string>;
  /** Whether the source may return another key later. */
  readonly isRenewable: boolean;
  /** Every key that a text of the service or a library may still contain. */
  known(): readonly string[];
}

/** How many keys of a function the redactor remembers. A rotation uses two keys at a time, seldom more. */
const rememberedKeys = 4;

/** A source with a constant key. */
export function fixedKey(key: string): ApiKeySource {
  const keys = [key];
  return { current: () => key, isRenewable: false, known: () => keys };
}

/**
 * A source that calls a function before each call, and again after a 401.
 *
 * @param check Throws if the function returned an invalid key.
 */
export function askedKey(ask: () => string | Promise<string>, check: (key: unknown) => string): ApiKeySource {
  let keys: readonly string[] = [];
  return {
    async current() {
      const key = check(await ask());
      if (!keys.includes(key)) keys = [key, ...keys].slice(0, rememberedKeys);
      return key;
    },
    isRenewable: true,
    known: () => keys,
  };
}
