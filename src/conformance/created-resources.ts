import { operations } from '../contract/operations.js';
import { fieldOf, idIn, listIn, usableId } from './exchange/body.js';
import type { HttpRequester } from './exchange/http-requester.js';
import { type ExchangeOutcome, isSuccess } from './exchange/outcome.js';

/** More subscriptions to one URL than a run creates, also if each request for them got a 429. */
const mostOfOneUrl = 30;

/** The contacts and subscriptions that a run creates in the deployment and removes at its end. */
export class CreatedResources {
  /** The ids of subscriptions, and of contacts with the key of their workspace. */
  readonly #subscriptions = new Set<string>();
  readonly #contacts = new Map<string, string>();
  /** The phones and URLs of requests that may have created something, although the response shows no id. */
  readonly #phonesWithoutId = new Map<string, string>();
  readonly #urlsWithoutId = new Set<string>();
  readonly #doubtful = new Set<string>();
  #areSubscriptionsKnown = false;
  /** The ids of contacts and subscriptions that existed before the run. The run does not remove them. */
  readonly #kept = new Set<string>();

  addContact(phone: string, apiKey: string, outcome: ExchangeOutcome): void {
    const id = idIn(outcome);
    if (id !== undefined) this.#contacts.set(id, apiKey);
    else if (mayHaveMade(outcome)) this.#phonesWithoutId.set(phone, apiKey);
  }

  /** Records a contact that may have existed before the run. The run reports it and does not remove it. */
  addDoubtfulContact(phone: string): void {
    this.#doubtful.add(`perhaps the contact with the phone ${phone}, unless it existed before`);
  }

  addSubscription(url: string, outcome: ExchangeOutcome): void {
    const id = idIn(outcome);
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

  /** The run's subscriptions to a URL, according to a response that lists all subscriptions. `undefined` if it does not show them. */
  madeFor(url: string, listed: ExchangeOutcome): readonly string[] | undefined {
    const ids = listIn(listed)
      ?.filter((entry) => fieldOf(entry, 'url') === url)
      .map(usableId)
      .filter((id) => id !== undefined)
      .filter((id) => !this.#kept.has(id));
    return this.#areSubscriptionsKnown && ids !== undefined && ids.length <= mostOfOneUrl ? ids : undefined;
  }

  /** Records that a contact or subscription is gone. */
  removed(id: string): void {
    this.#contacts.delete(id);
    this.#subscriptions.delete(id);
  }

  /** Removes everything, and returns what it could not remove. */
  async remove(requester: HttpRequester): Promise<readonly string[]> {
    requester.beginRemoval();
    const { contacts, webhooks } = operations;
    const left = [...this.#doubtful];
    for (const url of this.#urlsWithoutId) {
      const ids = this.madeFor(url, await requester.request(webhooks.list));
      if (ids === undefined)
        left.push(`perhaps a subscription ${url === '' ? 'without a url' : `to ${url}`}`);
      for (const id of ids ?? []) this.#subscriptions.add(id);
    }
    for (const id of this.#subscriptions)
      if (!isRemoved(await requester.request(webhooks.delete, { id }))) left.push(`the subscription ${id}`);
    for (const [phone, apiKey] of this.#phonesWithoutId) {
      const found = await requester.request(contacts.find, { query: { phone }, apiKey });
      const id = idIn(found);
      if (id !== undefined) this.#contacts.set(id, apiKey);
      else if (found.kind !== 'response' || found.status >= 500)
        left.push(`perhaps the contact with the phone ${phone}`);
    }
    for (const [id, apiKey] of this.#contacts)
      if (!this.#kept.has(id) && !isRemoved(await requester.request(contacts.delete, { id, apiKey })))
        left.push(`the contact ${id}`);
    return left;
  }
}

/** Whether the request may have created something: the deployment did not refuse it, as far as the run knows. */
const mayHaveMade = (outcome: ExchangeOutcome) =>
  outcome.kind === 'no_response' ||
  (outcome.kind === 'response' && (outcome.status < 300 || outcome.status >= 500));

const isRemoved = (outcome: ExchangeOutcome) =>
  isSuccess(outcome) || (outcome.kind === 'response' && (outcome.status === 404 || outcome.status === 410));
