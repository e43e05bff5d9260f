import { signal } from '@preact/signals';
import { refusalOf } from './refused-error.js';
import { Surface } from './surface.js';

const storageKey = 'messaging-automation.key';

/** The channel between the tabs of this server. */
const channelName = 'messaging-automation';

/** How long the page waits for another tab before it asks a person for the key. In milliseconds. */
const patience = 300;

/** How long another tab may take to tell its key: a tab in the background of a busy machine is slow. In milliseconds. */
const longestWait = 60_000;

/** What the page has: a key, or why there is none. */
interface Opening {
  readonly key?: string;
  /** Why the link opened nothing. */
  readonly problem?: string;
}

/** What the page opens with. Undefined until it has looked for a key. */
export const opening = signal<Opening>();

/**
 * Finds the key: of the link, whose fragment has a code for a single use, or of this tab, or of another tab. The key is never in a URL.
 * It leaves the tab only in requests to this server.
 */
export async function findKey(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) history.replaceState(null, '', `${location.pathname}${location.search}`);
  const exchanged = code === null ? {} : await exchange(code);
  const key = exchanged.key ?? sessionStorage.getItem(storageKey);
  if (key != null) return openWith(key);
  askOtherTabs();
  setTimeout(() => {
    if (opening.peek()?.key === undefined) opening.value = exchanged;
  }, patience);
}

/** Opens the page with a key, which this tab keeps. */
export function openWith(key: string): void {
  sessionStorage.setItem(storageKey, key);
  opening.value = { key };
}

/** Tells the key of this tab to tabs that open later. Returns a function that ends it. */
export function shareKey(key: string): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }) => {
    if (data === 'which key?') channel.postMessage({ key });
  };
  return () => channel.close();
}

/** Opens the page when another tab tells its key, which can be after the page has asked a person for one. */
function askOtherTabs(): void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }) => {
    if (typeof data?.key !== 'string') return;
    channel.close();
    if (opening.peek()?.key === undefined) openWith(data.key);
  };
  channel.postMessage('which key?');
  setTimeout(() => channel.close(), longestWait);
}

/** A link that opens the page once, with this key. */
export async function linkFor(key: string): Promise<string> {
  const response = await new Surface(key).send('POST', '/workbench/codes', {});
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
