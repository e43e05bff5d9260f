import { operations } from '../contract/operations.js';
import { CreatedResources } from './created-resources.js';
import { Evidence } from './evidence.js';
import { contactIn, idIn, type JsonObject } from './exchange/body.js';
import {
  type Endpoint,
  type HttpRequester,
  httpRequester,
  type RequestDetails,
} from './exchange/http-requester.js';
import { type DeploymentResponse, type ExchangeOutcome, isSuccess, needing } from './exchange/outcome.js';
import type { Settings } from './options.js';

/** A contact that the run created. */
export interface OwnContact {
  readonly id: string;
  readonly phone: string;
}

/** The name of the events that a run tracks. No journey and no segment of a workspace uses it. */
export const eventName = 'conformance_check';

export const freePhoneNeeded = needing('a phone number that no contact has');
export const contactNeeded = needing('a contact that can be created');
export const subscriptionNeeded = needing('a subscription that can be created');
export const eventsNeeded = needing('permission to track events', 'events');
const subscriptionsNeeded = needing('permission to create subscriptions', 'webhooks');
const strangersPhone = needing('a phone number that no contact has; a contact already had the drawn one');
const maximumDraws = 5;

/**
 * The state that the checks of one run share: their requests, the settings, and what the run creates and removes again. The run
 * omits a request that needs something that an earlier response does not have.
 */
export class ConformanceRun extends Evidence {
  readonly settings: Settings;
  readonly created = new CreatedResources();
  /** A contact that stays for the whole run. */
  contact: OwnContact | undefined;
  /** Phones and ids that are almost those of `contact`, and that no contact has. */
  readonly nobodies: ({ readonly phone: string } | { readonly contactId: string })[] = [];
  /** Another contact that stays. Nothing that is asked for the first one may change it. */
  neighbour: OwnContact | undefined;
  /** The templates that the deployment lists. */
  templateIds: readonly string[] = [];
  /** The phone numbers that the run uses. */
  readonly phones: Set<string>;
  readonly requester: HttpRequester;
  /** The phones of upserts, and whether their contacts existed before. */
  readonly #areStrangers = new Map<string, boolean>();

  constructor(settings: Settings) {
    super();
    const { send } = settings;
    this.settings = settings;
    this.requester = httpRequester(settings);
    this.phones = new Set([send?.phone, send?.rejectedPhone].filter((phone) => phone !== undefined));
  }

  request(endpoint: Endpoint, parts?: RequestDetails): Promise<ExchangeOutcome> {
    return this.requester.request(endpoint, parts);
  }

  /** Finds a phone number that no contact has, and returns it with the deployment's response. */
  async freePhone(): Promise<{ readonly phone: string | undefined; readonly lookup: ExchangeOutcome }> {
    let lookup: ExchangeOutcome = freePhoneNeeded;
    let textBefore: string | undefined;
    for (let draw = 0; draw < maximumDraws; draw += 1) {
      const phone = this.settings.newPhone();
      if (this.phones.has(phone)) continue;
      this.phones.add(phone);
      lookup = await this.find(phone);
      // A success that is the same for two phones shows no contact.
      if (isFree(phone, lookup) || (isSuccess(lookup) && lookup.text === textBefore))
        return { phone, lookup };
      textBefore = isSuccess(lookup) ? lookup.text : undefined;
    }
    return { phone: undefined, lookup };
  }

  async find(phone: string | undefined, apiKey?: string): Promise<ExchangeOutcome> {
    if (phone === undefined) return freePhoneNeeded;
    return this.request(operations.contacts.find, { query: { phone }, apiKey });
  }

  /** Creates or updates a contact. Its phone must be free, or belong to a contact that this run created. */
  async upsert(phone: string | undefined, properties?: JsonObject): Promise<ExchangeOutcome> {
    if (phone === undefined) return freePhoneNeeded;
    if (this.#areStrangers.get(phone)) return strangersPhone;
    const body = { phone, ...(properties && { properties }) };
    const outcome = await this.request(operations.contacts.upsert, { body });
    this.created.addContact(phone, this.settings.apiKey, outcome);
    const isStrangers = !this.#areStrangers.has(phone) && showsOtherProperties(outcome, properties);
    this.#areStrangers.set(phone, isStrangers);
    if (!isStrangers) return outcome;
    const id = idIn(outcome);
    if (id !== undefined) this.created.keep(id);
    return strangersPhone;
  }

  /** Creates a contact with a phone number that no contact has. */
  async newContact(properties: JsonObject): Promise<OwnContact | undefined> {
    const { phone } = await this.freePhone();
    const id = idIn(await this.upsert(phone, properties));
    return id === undefined || phone === undefined ? undefined : { id, phone };
  }

  /**
   * Makes sure that a contact has this phone, which may be a real person's. An existing contact is not changed. At the end, the run
   * removes the contact only if the deployment said that it was created.
   */
  async makeReachable(phone: string, apiKey: string = this.settings.apiKey): Promise<boolean> {
    const found = await this.find(phone, apiKey);
    const isNobody =
      found.kind === 'response' && (found.status === 404 || (found.ok && isEmpty(found, phone)));
    if (!isNobody) return isSuccess(found);
    const made = await this.request(operations.contacts.upsert, { body: { phone }, apiKey });
    if (made.kind === 'response' && made.status === operations.contacts.upsert.successes.created) {
      this.created.addContact(phone, apiKey, made);
    } else if (isSuccess(made)) {
      this.created.addDoubtfulContact(phone);
    }
    return isSuccess(made);
  }

  async get(id: string | undefined, apiKey?: string): Promise<ExchangeOutcome> {
    if (id === undefined) return contactNeeded;
    return this.request(operations.contacts.get, { id, apiKey });
  }

  async update(id: string | undefined, properties: JsonObject, apiKey?: string): Promise<ExchangeOutcome> {
    if (id === undefined) return contactNeeded;
    return this.request(operations.contacts.update, { id, body: { properties }, apiKey });
  }

  async delete(id: string | undefined): Promise<ExchangeOutcome> {
    if (id === undefined) return contactNeeded;
    const outcome = await this.request(operations.contacts.delete, { id });
    if (isSuccess(outcome)) this.created.removed(id);
    return outcome;
  }

  /** Creates a subscription. Removes others that the request created although its response was 429: they would get each delivery. */
  async subscribe(body: {
    readonly url?: string;
    readonly events?: readonly string[];
  }): Promise<ExchangeOutcome> {
    if (!this.settings.webhooks) return subscriptionsNeeded;
    const { create, list, delete: remove } = operations.webhooks;
    const { url = '' } = body;
    const outcome = await this.request(create, { body });
    this.created.addSubscription(url, outcome);
    if (outcome.kind !== 'response' || !outcome.repeated) return outcome;
    for (const id of this.created.madeFor(url, await this.request(list)) ?? [])
      if (id !== idIn(outcome)) await this.request(remove, { id });
    return outcome;
  }

  async unsubscribe(made: ExchangeOutcome): Promise<ExchangeOutcome> {
    const id = idIn(made);
    if (id === undefined) return made.kind === 'not_requested' ? made : subscriptionNeeded;
    const outcome = await this.request(operations.webhooks.delete, { id });
    if (isSuccess(outcome)) this.created.removed(id);
    return outcome;
  }

  /** Tracks an event for a contact, named by its id, by its phone, by both or by neither. */
  async track(
    event: { readonly [Field in 'contactId' | 'phone']?: string | undefined } & { properties?: JsonObject },
    apiKey?: string,
  ): Promise<ExchangeOutcome> {
    if (Object.values(event).includes(undefined)) return contactNeeded;
    if (!this.settings.events) return eventsNeeded;
    return this.request(operations.events.track, { body: { event: eventName, ...event }, apiKey });
  }
}

/** Whether no contact has the phone, according to the response. A contact with another phone shows that none has it, too. */
function isFree(phone: string, lookup: ExchangeOutcome): boolean {
  if (lookup.kind !== 'response') return false;
  if (isSuccess(lookup)) {
    const shown = contactIn(lookup)?.properties?.phone;
    return isEmpty(lookup, phone) || (typeof shown === 'string' && shown !== phone);
  }
  return lookup.status >= 400 && lookup.status < 500 && ![401, 403, 408, 429].includes(lookup.status);
}

/** Whether a success shows no contact, although the document requires 404. */
const isEmpty = (response: DeploymentResponse, phone: string) =>
  contactIn(response) === undefined && !response.text.includes(phone.slice(1)) && response.text.length <= 20;

/**
 * Whether a contact that should be new existed before: the upsert updated it, and it has properties that the run did not set. If
 * the lookup before the upsert did not find it, the run does not use the contact again.
 */
function showsOtherProperties(outcome: ExchangeOutcome, given: JsonObject = {}): boolean {
  if (outcome.kind !== 'response' || outcome.status !== operations.contacts.upsert.successes.updated)
    return false;
  const names = Object.keys(contactIn(outcome)?.properties ?? {});
  return names.some((name) => name !== 'phone' && !Object.hasOwn(given, name));
}
