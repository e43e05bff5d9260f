const storageKey = 'messaging-automation.key';

/**
 * Takes the key from the fragment of the URL, as the ready message of `serve` has it, and removes it from the URL. Without
 * one there, it is the key that this tab already had. The key never leaves the tab except in requests to this server.
 */
export function takeKey({ location, history, sessionStorage }: Window): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const given = fragment.get('key');
  if (given === null) return sessionStorage.getItem(storageKey) ?? undefined;
  sessionStorage.setItem(storageKey, given);
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  return given;
}

/** Keeps another key for this tab. */
export function keepKey({ sessionStorage }: Window, key: string): void {
  sessionStorage.setItem(storageKey, key);
}
