import { refusalOf } from './refused-error.js';

const storageKey = 'messaging-automation.key';

/** The channel between the tabs of this server. */
const channelName = 'messaging-automation';

/** How long the page waits for another tab before it asks a person for the key. In milliseconds. */
const patience = 300;

/** How long another tab may take to tell its key: a tab in the background of a busy machine is slow. In milliseconds. */
const longestWait = 60_000;

/** What the page has at its start: a key, or why there is none. */
export interface Opening {
  readonly key?: string | undefined;
  /** Why the link opened nothing. */
  readonly problem?: string;
}

/**
 * Finds the key: of the link, whose fragment has a code for a single use, or of this tab, or of another tab. The key is never in a URL.
 * It leaves the tab only in requests to this server.
 *
 * @param take - Is called when another tab tells its key, which can be after the promise has resolved without one.
 */
export async function findKey(page: Window, take: (key: string) => void): Promise<Opening> {
  const { location, history, sessionStorage } = page;
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) history.replaceState(null, '', `${location.pathname}${location.search}`);
  const exchanged = code === null ? {} : await exchange(code);
  const key = exchanged.key ?? sessionStorage.getItem(storageKey) ?? (await keyOfAnotherTab(take));
  if (key === undefined) return exchanged;
  storeKey(page, key);
  return { key };
}

/** Stores another key for this tab. */
export function storeKey({ sessionStorage }: Window, key: string): void {
  sessionStorage.setItem(storageKey, key);
}

/** Tells the key of this tab to tabs that open later. Returns a function that ends it. */
export function shareKey(key: string): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }) => {
    if (data === 'which key?') channel.postMessage({ key });
  };
  return () => channel.close();
}

function keyOfAnotherTab(take: (key: string) => void): Promise<string | undefined> {
  const channel = new BroadcastChannel(channelName);
  return new Promise((resolve) => {
    channel.onmessage = ({ data }) => {
      if (typeof data?.key !== 'string') return;
      channel.close();
      resolve(data.key);
      take(data.key);
    };
    channel.postMessage('which key?');
    setTimeout(resolve, patience);
    setTimeout(() => channel.close(), longestWait);
  });
}

/** A link that opens the page once, with this key. */
export async function linkFor(key: string): Promise<string> {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch('/workbench/codes', { method: 'POST', headers, cache: 'no-store' });
  if (!response.ok) throw await refusalOf(response);
  const { code } = await response.json();
  return `${location.origin}/#code=${code}`;
}

/** Exchanges the code of a link for the key. */
async function exchange(code: string): Promise<Opening> {
  try {
    const response = await fetch('/workbench/key', { method: 'POST', body: code, cache: 'no-store' });
    if (!response.ok) return { problem: (await refusalOf(response)).message };
    const { apiKey } = await response.json();
    return { key: String(apiKey) };
  } catch {
    return { problem: 'The server does not respond. Is `serve` still running?' };
  }
}
