import { operations } from '../contract/operations.js';
import type { Statement } from '../contract/statements.js';
import { CreatedResources, subscriptionIdIn } from './created-resources.js';
import { Evidence, type Judgement, judge, type WantedAnswer } from './evidence.js';
import { contactIdIn, contactIn } from './exchange/contact.js';
import type { Endpoint, HttpRequester, ObservedResponses, RequestParts } from './exchange/http-requester.js';
import type { JsonObject } from './exchange/json.js';
import {
  isSuccess,
  type NotRequested,
  notRequested,
  type Outcome,
  type ReceivedResponse,
} from './exchange/outcome.js';
import type { Settings } from './options.js';

/** A contact that the run created. */
export interface OwnContact {
  readonly id: string;
  readonly phone: string;
}

/** The name of the events that a run tracks. No journey and no segment of a workspace uses it. */
export const eventName = 'conformance_check';

export const freePhoneNeeded = notRequested('a phone number that no contact has');
export const contactNeeded = notRequested('a contact that can be created');
export const subscriptionNeeded = notRequested('a subscription that can be created');
export const eventsNeeded = notRequested('permission to track events', 'events');
const subscriptionsNeeded = notRequested('permission to create subscriptions', 'webhooks');
const strangersPhone = notRequested(
  'a phone number that no contact has; a contact already had the drawn one',
);
const maximumDraws = 5;
const mostTwins = 5;

/**
 * The state that the checks of one run share: their requests, the settings, and what the run creates and removes again. The run
 * omits a request that needs something that an earlier response does not have.
 */
export class ConformanceRun {
  readonly settings: Settings;
  readonly evidence = new Evidence();
  /** A contact that stays for the whole run. */
  contact: OwnContact | undefined;
  /** Phones and ids that are almost those of `contact`, and that no contact has. */
  readonly nobodies: ({ readonly phone: string } | { readonly contactId: string })[] = [];
  /** Another contact that stays. Nothing that is asked for the first one may change it. */
  neighbour: OwnContact | undefined;
  /** Whether a time of the deployment agreed with the clock of the check. */
  isClockRight = false;
  /** The templates that the deployment lists. */
  templateIds: readonly string[] = [];
  readonly #requester: HttpRequester;
  readonly #created = new CreatedResources();
  readonly #drawn = new Set<string>();
  readonly #upserted = new Set<string>();
  readonly #strangersPhones = new Set<string>();

  constructor(settings: Settings, requester: HttpRequester) {
    this.settings = settings;
    this.#requester = requester;
  }

  /** The phone numbers that the run uses. */
  get phones(): ReadonlySet<string> {
    const { send } = this.settings;
    const given = [send?.phone, send?.rejectedPhone].filter((phone) => phone !== undefined);
    return new Set([...given, ...this.#drawn]);
  }

  /** What the run observed in all responses. */
  get observed(): ObservedResponses {
    return this.#requester.observed;
  }

  saw(statement: Statement, ...judgements: readonly Judgement[]): void {
    this.evidence.add(statement, ...judgements);
  }

  /** Compares an answer with what a statement says about it. */
  expect(statement: Statement, outcome: Outcome, wanted: WantedAnswer): void {
    this.saw(statement, judge(outcome, wanted));
  }

  /** Reports what the deployment does where the document shows nothing. */
  notShown(subject: string, seen: string | NotRequested): void {
    this.evidence.addSilence(subject, seen);
  }

  request(endpoint: Endpoint, parts?: RequestParts): Promise<Outcome> {
    return this.#requester.request(endpoint, parts);
  }

  /** Stops making requests. `needs` says what all of them need. */
  stop(needs: string): void {
    this.#requester.stop(needs);
  }

  /** Finds a phone number that no contact has, and returns it with the deployment's response. */
  async freePhone(): Promise<{ readonly phone: string | undefined; readonly lookup: Outcome }> {
    let lookup: Outcome = freePhoneNeeded;
    let textBefore: string | undefined;
    for (let draw = 0; draw < maximumDraws; draw += 1) {
      const phone = this.settings.newPhone();
      if (this.#drawn.has(phone)) continue;
      this.#drawn.add(phone);
      lookup = await this.find(phone);
      // A success that is the same for two phones shows no contact.
      if (isFree(phone, lookup) || (isSuccess(lookup) && lookup.text === textBefore))
        return { phone, lookup };
      textBefore = isSuccess(lookup) ? lookup.text : undefined;
    }
    return { phone: undefined, lookup };
  }

  find(phone: string | undefined, apiKey = this.settings.apiKey): Promise<Outcome> {
    return given(phone, freePhoneNeeded, (value) =>
      this.request(operations.contacts.find, { query: { phone: value }, apiKey }),
    );
  }

  /** Creates or updates a contact. Its phone must be free, or belong to a contact that this run created. */
  upsert(
    phone: string | undefined,
    properties?: JsonObject,
    apiKey: string = this.settings.apiKey,
  ): Promise<Outcome> {
    return given(phone, freePhoneNeeded, async (value) => {
      if (this.#strangersPhones.has(value)) return strangersPhone;
      const body = { phone: value, ...(properties && { properties }) };
      const outcome = await this.request(operations.contacts.upsert, { body, apiKey });
      this.#created.addContact(value, apiKey, outcome);
      const isFirst = !this.#upserted.has(value);
      this.#upserted.add(value);
      if (!isFirst || !showsOtherProperties(outcome, properties)) return outcome;
      const id = contactIdIn(outcome);
      if (id !== undefined) this.#created.keep(id);
      this.#strangersPhones.add(value);
      return strangersPhone;
    });
  }

  /** Creates a contact with a phone number that no contact has. */
  async newContact(properties: JsonObject): Promise<OwnContact | undefined> {
    const { phone } = await this.freePhone();
    const id = contactIdIn(await this.upsert(phone, properties));
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
      this.#created.addContact(phone, apiKey, made);
    } else if (isSuccess(made)) {
      this.#created.addDoubtfulContact(phone);
    }
    return isSuccess(made);
  }

  get(id: string | undefined, apiKey = this.settings.apiKey): Promise<Outcome> {
    return given(id, contactNeeded, (value) => this.request(operations.contacts.get, { id: value, apiKey }));
  }

  update(id: string | undefined, properties: JsonObject, apiKey = this.settings.apiKey): Promise<Outcome> {
    return given(id, contactNeeded, (value) =>
      this.request(operations.contacts.update, { id: value, body: { properties }, apiKey }),
    );
  }

  delete(id: string | undefined): Promise<Outcome> {
    return given(id, contactNeeded, async (value) => {
      const outcome = await this.request(operations.contacts.delete, { id: value });
      if (isSuccess(outcome)) this.#created.contactRemoved(value);
      return outcome;
    });
  }

  async subscribe(body: { readonly url?: string; readonly events?: readonly string[] }): Promise<Outcome> {
    if (!this.settings.webhooks) return subscriptionsNeeded;
    const outcome = await this.request(operations.webhooks.create, { body });
    this.addSubscription(body.url ?? '', outcome);
    if (outcome.kind === 'response' && outcome.repeated) await this.#removeTwins(body.url ?? '', outcome);
    return outcome;
  }

  /** Removes subscriptions that a request created although its response was 429. They would get each delivery, too. */
  async #removeTwins(url: string, made: Outcome): Promise<void> {
    const { list, delete: remove } = operations.webhooks;
    const ids = this.#created.madeFor(url, await this.request(list)) ?? [];
    const twins = ids.filter((id) => id !== subscriptionIdIn(made));
    for (const id of twins.slice(0, mostTwins)) await this.request(remove, { id });
  }

  /** Records a subscription that a request may have created, to remove it at the end. */
  addSubscription(url: string, outcome: Outcome): void {
    this.#created.addSubscription(url, outcome);
  }

  unsubscribe(created: Outcome): Promise<Outcome> {
    const id = subscriptionIdIn(created);
    return given(id, created.kind === 'not_requested' ? created : subscriptionNeeded, async (value) => {
      const outcome = await this.request(operations.webhooks.delete, { id: value });
      if (isSuccess(outcome)) this.#created.subscriptionRemoved(value);
      return outcome;
    });
  }

  /** Never removes these subscriptions, which existed before. */
  keepSubscriptions(ids: readonly string[]): void {
    this.#created.keepSubscriptions(ids);
  }

  /** Tracks an event for a contact, named by its id, by its phone, by both or by neither. */
  async track(
    contact: { readonly contactId?: string | undefined; readonly phone?: string | undefined },
    { properties, apiKey }: { readonly properties?: JsonObject; readonly apiKey?: string } = {},
  ): Promise<Outcome> {
    if (Object.values(contact).includes(undefined)) return contactNeeded;
    if (!this.settings.events) return eventsNeeded;
    const body = { event: eventName, ...contact, ...(properties && { properties }) };
    return this.request(operations.events.track, { body, ...(apiKey !== undefined && { apiKey }) });
  }

  /** Removes everything that the run created, and returns what it could not remove. */
  removeCreated(): Promise<readonly string[]> {
    this.#requester.beginRemoval();
    return this.#created.remove(this.#requester);
  }
}

/** Whether no contact has the phone, according to the response. A contact with another phone shows that none has it, too. */
function isFree(phone: string, lookup: Outcome): boolean {
  if (lookup.kind !== 'response') return false;
  if (isSuccess(lookup)) {
    const shown = contactIn(lookup)?.properties?.phone;
    return isEmpty(lookup, phone) || (typeof shown === 'string' && shown !== phone);
  }
  return lookup.status >= 400 && lookup.status < 500 && ![401, 403, 408, 429].includes(lookup.status);
}

/** Whether a success shows no contact, although the document requires 404. */
const isEmpty = (response: ReceivedResponse, phone: string) =>
  contactIn(response) === undefined && !response.text.includes(phone.slice(1)) && response.text.length <= 20;

/**
 * Whether a contact that should be new existed before: the upsert updated it, and it has properties that the run did not set. If
 * the lookup before the upsert did not find it, the run does not use the contact again.
 */
function showsOtherProperties(outcome: Outcome, given: JsonObject = {}): boolean {
  if (outcome.kind !== 'response' || outcome.status !== operations.contacts.upsert.successes.updated)
    return false;
  const names = Object.keys(contactIn(outcome)?.properties ?? {});
  return names.some((name) => name !== 'phone' && !Object.hasOwn(given, name));
}

function given(
  value: string | undefined,
  needed: NotRequested,
  request: (value: string) => Promise<Outcome>,
): Promise<Outcome> {
  return value === undefined ? Promise.resolve(needed) : request(value);
}
