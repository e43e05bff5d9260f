import { receiverUrl } from '../model/listener.js';
import { isBuiltInReceiver } from '../model/receiver.js';
import { type Act, firstOf } from './acts.js';
import { partsOf } from './calls.js';
import { parsed, textIn } from './code.js';
import type { NumberedEntry } from './inspection.js';

/** The subscriptions of a story. A subscription is known by its id, because two can have the same URL. */
export interface Receivers {
  /** The URL of each subscription in the program, by id. Each has its own, so that its receiver is known by it. */
  readonly urls: ReadonlyMap<string, string>;
  /** The subscriptions that the acts create, by id, with the number of the act. */
  readonly createdBy: ReadonlyMap<string, number>;
  /** The subscriptions that exist before and that the API deletes. */
  readonly deletedByApi: readonly string[];
}

/** A subscription of an application whose own is not in the journal. */
export const exampleWebhook = { url: 'https://example.com/hooks', events: ['message.received'] } as const;

/** A subscription that an act creates. Without an id, the response does not tell it. */
interface Creation {
  readonly number: number;
  readonly id: string | undefined;
  readonly url: string;
}

export function receiversIn(acts: readonly Act[], entries: readonly NumberedEntry[]): Receivers {
  const attempts = entries.filter((entry) => entry.type === 'attempt');
  const createdBy = new Map<string, number>();
  const urls = new Map<string, string>();
  const add = (id: string, url: string) =>
    urls.set(id, urls.get(id) ?? unlike([...urls.values()], urlIn(url)));
  for (const { id, number, url } of acts.flatMap(creationsOf)) {
    const isOfIt = ({ delivery, number: at }: (typeof attempts)[number]) =>
      delivery.url === url && at > number && !createdBy.has(delivery.subscriptionId);
    const found = id ?? attempts.find(isOfIt)?.delivery.subscriptionId;
    if (found === undefined) continue;
    createdBy.set(found, number);
    add(found, url);
  }
  for (const { delivery } of attempts) add(delivery.subscriptionId, delivery.url);
  for (const { id, url } of acts.flatMap(subscriptionsBefore)) add(id, url);
  const deletedByApi = acts.flatMap(deletedBy).filter((id) => !createdBy.has(id));
  for (const id of deletedByApi) add(id, exampleWebhook.url);
  return { urls, createdBy, deletedByApi };
}

/** The URL of a receiver in a program. A program has its own stand-in for the built-in receiver, too. */
function urlIn(url: string): string {
  return isBuiltInReceiver(url) ? 'https://receiver.example/' : receiverUrl(url);
}

/** Returns the URL, or one like it that is not taken. */
function unlike(taken: readonly string[], url: string): string {
  if (!taken.includes(url)) return url;
  for (let number = 2; ; number += 1) {
    const other = `${url}${url.includes('?') ? '&' : '?'}subscription=${number}`;
    if (!taken.includes(other)) return other;
  }
}

function creationsOf(act: Act): readonly Creation[] {
  const { number } = act;
  if (act.type === 'change') {
    const { operation, created: id } = act;
    const url = textIn(firstOf(act), 'url');
    const creates = operation === 'managedWebhooks.create' || operation === 'listeners.create';
    return creates && url !== undefined ? [{ number, id, url }] : [];
  }
  if (act.type !== 'request' || act.operation !== 'webhooks.create') return [];
  const url = textIn(parsed(partsOf(act).body ?? ''), 'url');
  const id = textIn(parsed(act.responseBody ?? ''), 'id');
  // A fault can hide that the request was carried out.
  const isCreated = id !== undefined || act.faults !== undefined;
  return url !== undefined && isCreated ? [{ number, id, url }] : [];
}

/** The subscriptions that a change names as they were before it. */
function subscriptionsBefore(act: Act): readonly { readonly id: string; readonly url: string }[] {
  if (act.type !== 'change') return [];
  const subscriptions: unknown = act.operation === 'restore' ? firstOf(act).subscriptions : [act.before];
  return [subscriptions].flat().flatMap((each) => {
    const [id, url] = [textIn(each, 'id'), textIn(each, 'url')];
    return id === undefined || url === undefined ? [] : [{ id, url }];
  });
}

function deletedBy(act: Act): readonly string[] {
  if (act.type !== 'request' || act.operation !== 'webhooks.delete') return [];
  const { status = 204, faults } = act;
  const { id } = partsOf(act).inPath;
  return id === undefined || (status >= 400 && faults === undefined) ? [] : [id];
}
