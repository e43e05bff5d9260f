const storageKey = 'messaging-automation.key';

/**
 * Reads the key from the fragment of the URL, which the ready message of `serve` contains, and removes it from the URL. Without a
 * key in the fragment, returns the stored key of this tab. The key leaves the tab only in requests to this server.
 */
export function readKey({ location, history, sessionStorage }: Window): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const given = fragment.get('key');
  if (given === null) return sessionStorage.getItem(storageKey) ?? undefined;
  sessionStorage.setItem(storageKey, given);
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  return given;
}

/** Stores another key for this tab. */
export function storeKey({ sessionStorage }: Window, key: string): void {
  sessionStorage.setItem(storageKey, key);
}
