/** How many keys of a function the redactor remembers. A rotation uses two keys at a time, seldom more. */
const rememberedKeys = 4;

/** The source of the API key: a constant, or a function of the user. */
export interface ApiKeySource {
  /** The key for a request. */
  readonly current: () => Promise<string>;
  /** Whether the source may return another key later. */
  readonly isRenewable: boolean;
  /** Every key that a text of the service or a library may still contain. */
  readonly known: () => readonly string[];
}

/** @param check Throws if a key is invalid. */
export function apiKeySource(
  given: string | (() => string | Promise<string>),
  check: (key: unknown) => string,
): ApiKeySource {
  if (typeof given !== 'function') {
    const key = check(given);
    const known = [key];
    return { current: async () => key, isRenewable: false, known: () => known };
  }
  let keys: readonly string[] = [];
  return {
    async current(): Promise<string> {
      const key = check(await given());
      if (!keys.includes(key)) keys = [key, ...keys].slice(0, rememberedKeys);
      return key;
    },
    isRenewable: true,
    known: () => keys,
  };
}
