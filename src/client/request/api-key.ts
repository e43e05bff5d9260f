/** Where a client takes its API key from: a string, or a function of the user's. */
export interface ApiKeySource {
  /** The key for a call. */
  current(): string | Promise<string>;
  /** Whether asking again may give another key. */
  readonly isRenewable: boolean;
  /** Every key that may still stand in a text that the service or a library wrote. */
  known(): readonly string[];
}

/** How many keys of a function are remembered for redaction. A rotation has two keys in use, seldom more. */
const rememberedKeys = 4;

/** The source that always gives the same key. */
export function fixedKey(key: string): ApiKeySource {
  const keys = [key];
  return { current: () => key, isRenewable: false, known: () => keys };
}

/**
 * The source that asks a function before each call, and again after a 401.
 *
 * @param check Throws where what the function gave is no key.
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
