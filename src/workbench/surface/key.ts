import { signal } from '@preact/signals';
import { refusalOf } from './refused-error.js';
import { Surface } from './surface.js';

const storageKey = 'messaging-automation.key';

/** How long the page waits for another tab before it asks a person for the key. In milliseconds. */
const patience = 300;

/** How long another tab may take to tell its key: a tab in the background of a busy machine is slow. In milliseconds. */
const longestWait = 60_000;

/** What a tab without a key says to the others. */
const question = 'which key?';

/** What the page has: a key, or why there is none. */
interface Opening {
  readonly key?: string;
  /** Why the link opened nothing. */
  readonly problem?: string;
  /** The key to go back to, while a person enters another. */
  readonly before?: string;
}

/** What the page opens with. Undefined until it has looked for a key. */
export const opening = signal<Opening>();

/** Whether this tab takes the key that another tab tells, which can be after it has asked a person for one. */
let isAsking = false;

/** The other tabs of this server. A tab that opens asks them for their key. */
const otherTabs = new BroadcastChannel('messaging-automation');
otherTabs.onmessage = ({ data }) => {
  const key = opening.peek()?.key;
  if (data === question && key !== undefined) otherTabs.postMessage({ key });
  if (typeof data?.key === 'string' && (isAsking || (key !== undefined && data.insteadOf === key)))
    openWith(data.key);
};

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
  isAsking = true;
  otherTabs.postMessage(question);
  setTimeout(() => {
    isAsking = false;
  }, longestWait);
  setTimeout(() => {
    if (opening.peek()?.key === undefined) opening.value = exchanged;
  }, patience);
}

/** Opens the page with a key, which this tab keeps. */
export function openWith(key: string): void {
  isAsking = false;
  sessionStorage.setItem(storageKey, key);
  opening.value = { key };
}

/** Opens this tab with the key that replaces its own, and each other tab that has the same. */
export function replaceKey(key: string): void {
  otherTabs.postMessage({ key, insteadOf: opening.peek()?.key });
  openWith(key);
}

/** Asks for the key of another workspace. */
export function askForAnotherKey(): void {
  const { key } = opening.peek() ?? {};
  opening.value = key === undefined ? {} : { before: key };
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
