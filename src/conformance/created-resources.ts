import { operations } from '../contract/operations.js';
import { contactIdIn, usableId } from './exchange/contact.js';
import type { HttpRequester } from './exchange/http-requester.js';
import { fieldOf } from './exchange/json.js';
import { listIn } from './exchange/list.js';
import { isSuccess, type Outcome } from './exchange/outcome.js';

/** The contacts and subscriptions that a run creates in the deployment and removes at its end. */
export class CreatedResources {
  /** The key of each contact's workspace, by the contact's id. */
  readonly #contacts = new Map<string, string>();
  /** The phones and URLs of requests that may have created something, although the response shows no id. */
  readonly #phonesWithoutId = new Map<string, string>();
  readonly #urlsWithoutId = new Set<string>();
  readonly #subscriptions = new Set<string>();
  readonly #doubtful = new Set<string>();
  #areSubscriptionsKnown = false;
  /** The ids of contacts and subscriptions that existed before the run. The run does not remove them. */
  readonly #kept = new Set<string>();

  addContact(phone: string, apiKey: string, outcome: Outcome): void {
    const id = contactIdIn(outcome);
    if (id !== undefined) this.#contacts.set(id, apiKey);
    else if (mayHaveMade(outcome)) this.#phonesWithoutId.set(phone, apiKey);
  }

  /** Records a contact that may have existed before the run. The run reports it and does not remove it. */
  addDoubtfulContact(phone: string): void {
    this.#doubtful.add(phone);
  }

  addSubscription(url: string, outcome: Outcome): void {
    const id = subscriptionIdIn(outcome);
    if (id !== undefined) this.#subscriptions.add(id);
    const isRepeated = outcome.kind === 'response' && outcome.repeated;
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

  /** The run's subscriptions to a URL, according to a response that lists all subscriptions. */
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
      (phone) => `perhaps the contact with the phone ${phone}, unless it existed before`,
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
      else if (found.kind !== 'response' || found.status >= 500)
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

/** The id of the subscription in a successful response. */
export function subscriptionIdIn(outcome: Outcome): string | undefined {
  if (!isSuccess(outcome)) return undefined;
  const { result } = operations.webhooks.create;
  const envelopes = result.kind === 'record' ? result.envelopes : [];
  return [outcome.json, ...envelopes.map((name) => fieldOf(outcome.json, name))]
    .map((value) => usableId(fieldOf(value, 'id')))
    .find((id) => id !== undefined);
}

/** Whether the request may have created something: the deployment did not refuse it, as far as the run knows. */
const mayHaveMade = (outcome: Outcome) =>
  outcome.kind === 'no_response' ||
  (outcome.kind === 'response' && (outcome.status < 300 || outcome.status >= 500));

const isRemoved = (outcome: Outcome) =>
  isSuccess(outcome) || (outcome.kind === 'response' && (outcome.status === 404 || outcome.status === 410));
