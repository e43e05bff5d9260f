import { operations } from '../contract/operations.js';
import { contactIdIn, usableId } from './exchange/contact.js';
import type { HttpRequester } from './exchange/http-requester.js';
import { fieldOf } from './exchange/json.js';
import { listIn } from './exchange/list.js';
import { isSuccess, type Outcome } from './exchange/outcome.js';

/** What a run creates in the deployment, and removes at its end. Each contact is noted with the key of its workspace. */
export class CreatedResources {
  readonly #contacts = new Map<string, string>();
  /** Phones and urls of what a request may have made, where the answer shows no id. */
  readonly #phonesWithoutId = new Map<string, string>();
  readonly #urlsWithoutId = new Set<string>();
  readonly #subscriptions = new Set<string>();
  readonly #doubtful = new Set<string>();
  #areSubscriptionsKnown = false;
  /** What was there before the run, which must stay. */
  readonly #kept = new Set<string>();

  addContact(phone: string, apiKey: string, outcome: Outcome): void {
    const id = contactIdIn(outcome);
    if (id !== undefined) this.#contacts.set(id, apiKey);
    else if (mayHaveMade(outcome)) this.#phonesWithoutId.set(phone, apiKey);
  }

  /** Notes a contact that may have been there before: it is reported, not removed. */
  addDoubtfulContact(phone: string): void {
    this.#doubtful.add(phone);
  }

  addSubscription(url: string, outcome: Outcome): void {
    const id = subscriptionIdIn(outcome);
    if (id !== undefined) this.#subscriptions.add(id);
    const isRepeated = outcome.kind === 'answer' && outcome.repeated;
    if (isRepeated || (id === undefined && mayHaveMade(outcome))) this.#urlsWithoutId.add(url);
  }

  /** Never removes the contact or subscription with this id. */
  keep(id: string): void {
    this.#kept.add(id);
  }

  /** Records the existing subscriptions, so that the URL identifies those of the run. */
  keepSubscriptions(ids: readonly string[]): void {
    for (const id of ids) this.keep(id);
    this.#areSubscriptionsKnown = true;
  }

  /** The subscriptions to a url that the run made, by an answer that lists all. */
  madeFor(url: string, listed: Outcome): readonly string[] | undefined {
    const entries = listIn(operations.webhooks.list, listed);
    if (entries === undefined || !this.#areSubscriptionsKnown) return undefined;
    return entries
      .filter((entry) => fieldOf(entry, 'url') === url)
      .map((entry) => usableId(fieldOf(entry, 'id')))
      .filter((id) => id !== undefined)
      .filter((id) => !this.#kept.has(id));
  }

  contactRemoved(id: string): void {
    this.#contacts.delete(id);
  }

  subscriptionRemoved(id: string): void {
    this.#subscriptions.delete(id);
  }

  /** Removes everything, and returns what it could not remove. */
  async remove(requester: HttpRequester): Promise<readonly string[]> {
    const left = [...this.#doubtful].map(
      (phone) => `perhaps the contact with the phone ${phone}, unless it was there before`,
    );
    for (const url of this.#urlsWithoutId) {
      const ids = this.madeFor(url, await requester.request(operations.webhooks.list));
      if (ids === undefined)
        left.push(`perhaps a subscription ${url === '' ? 'without a url' : `to ${url}`}`);
      for (const id of ids ?? []) this.#subscriptions.add(id);
    }
    for (const id of this.#subscriptions) {
      if (!isRemoved(await requester.request(operations.webhooks.delete, { id })))
        left.push(`the subscription ${id}`);
    }
    for (const [phone, apiKey] of this.#phonesWithoutId) {
      const found = await requester.request(operations.contacts.find, { query: { phone }, apiKey });
      const id = contactIdIn(found);
      if (id !== undefined) this.#contacts.set(id, apiKey);
      else if (found.kind !== 'answer' || found.status >= 500)
        left.push(`perhaps the contact with the phone ${phone}`);
    }
    for (const [id, apiKey] of this.#contacts) {
      if (this.#kept.has(id)) continue;
      if (!isRemoved(await requester.request(operations.contacts.delete, { id, apiKey })))
        left.push(`the contact ${id}`);
    }
    return left;
  }
}

/** The id of the subscription in a successful answer. */
export function subscriptionIdIn(outcome: Outcome): string | undefined {
  if (!isSuccess(outcome)) return undefined;
  const { result } = operations.webhooks.create;
  const envelopes = result.kind === 'record' ? result.envelopes : [];
  return [outcome.json, ...envelopes.map((name) => fieldOf(outcome.json, name))]
    .map((value) => usableId(fieldOf(value, 'id')))
    .find((id) => id !== undefined);
}

/** Whether the request may have created something: it was not refused, so far as is known. */
const mayHaveMade = (outcome: Outcome) =>
  outcome.kind === 'no_answer' ||
  (outcome.kind === 'answer' && (outcome.status < 300 || outcome.status >= 500));

const isRemoved = (outcome: Outcome) =>
  isSuccess(outcome) || (outcome.kind === 'answer' && (outcome.status === 404 || outcome.status === 410));
