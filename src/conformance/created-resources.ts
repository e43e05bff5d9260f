import { operations } from '../contract/operations.js';
import { contactIdIn, usableId } from './exchange/contact.js';
import type { HttpRequester } from './exchange/http-requester.js';
import { fieldOf } from './exchange/json.js';
import { listIn } from './exchange/list.js';
import { isSuccess, type Outcome } from './exchange/outcome.js';

/** What a run made in the deployment, so that it can be removed again. A contact belongs to the workspace of a key. */
export class CreatedResources {
  readonly #contacts = new Map<string, string>();
  /** Phones and urls of what was asked for, and perhaps made, without an id that was told. */
  readonly #phonesOfUnknown = new Map<string, string>();
  readonly #urlsOfUnknown = new Set<string>();
  readonly #subscriptions = new Set<string>();
  readonly #doubted = new Set<string>();
  /** What was there before, and is not to be touched. */
  readonly #foreign = new Set<string>();

  contactAsked(phone: string, apiKey: string, outcome: Outcome): void {
    const id = contactIdIn(outcome);
    if (id !== undefined) this.#contacts.set(id, apiKey);
    else if (mayHaveMade(outcome)) this.#phonesOfUnknown.set(phone, apiKey);
  }

  /** Leaves a contact where it is, since it may have been there before. */
  contactDoubted(phone: string): void {
    this.#doubted.add(phone);
  }

  subscriptionAsked(url: string, outcome: Outcome): void {
    const id = subscriptionIdIn(outcome);
    if (id !== undefined) this.#subscriptions.add(id);
    else if (mayHaveMade(outcome)) this.#urlsOfUnknown.add(url);
  }

  /** Keeps the hands off what is somebody else's. */
  isForeign(id: string): void {
    this.#foreign.add(id);
  }

  contactRemoved(id: string): void {
    this.#contacts.delete(id);
  }

  subscriptionRemoved(id: string): void {
    this.#subscriptions.delete(id);
  }

  /** Removes everything, and gives what could not be removed. */
  async remove(requester: HttpRequester): Promise<readonly string[]> {
    const left = [...this.#doubted].map(
      (phone) => `perhaps the contact with the phone ${phone}, unless it was there before`,
    );
    for (const url of this.#urlsOfUnknown) {
      const list = await requester.request(operations.webhooks.list);
      const entries = listIn(operations.webhooks.list, list);
      if (entries === undefined) left.push(`perhaps a subscription to ${url}`);
      for (const entry of entries ?? []) {
        const id = usableId(fieldOf(entry, 'id'));
        if (id !== undefined && fieldOf(entry, 'url') === url && !this.#foreign.has(id))
          this.#subscriptions.add(id);
      }
    }
    for (const id of this.#subscriptions) {
      if (!isRemoved(await requester.request(operations.webhooks.delete, { id })))
        left.push(`the subscription ${id}`);
    }
    for (const [phone, apiKey] of this.#phonesOfUnknown) {
      const found = await requester.request(operations.contacts.find, { query: { phone }, apiKey });
      const id = contactIdIn(found);
      if (id !== undefined) this.#contacts.set(id, apiKey);
      else if (found.kind !== 'answer' || found.status >= 500)
        left.push(`perhaps the contact with the phone ${phone}`);
    }
    for (const [id, apiKey] of this.#contacts) {
      if (this.#foreign.has(id)) continue;
      if (!isRemoved(await requester.request(operations.contacts.delete, { id, apiKey })))
        left.push(`the contact ${id}`);
    }
    return left;
  }
}

/** The id of the subscription in an answer that says it was made. */
export function subscriptionIdIn(outcome: Outcome): string | undefined {
  if (!isSuccess(outcome)) return undefined;
  const { result } = operations.webhooks.create;
  const envelopes = result.kind === 'record' ? result.envelopes : [];
  return [outcome.json, ...envelopes.map((name) => fieldOf(outcome.json, name))]
    .map((value) => usableId(fieldOf(value, 'id')))
    .find((id) => id !== undefined);
}

/** Whether something may be there now: the request may have arrived, and was not refused. */
const mayHaveMade = (outcome: Outcome) =>
  outcome.kind === 'no_answer' ||
  (outcome.kind === 'answer' && (outcome.status < 300 || outcome.status >= 500));

const isRemoved = (outcome: Outcome) =>
  isSuccess(outcome) || (outcome.kind === 'answer' && (outcome.status === 404 || outcome.status === 410));
