import { operations } from '../contract/operations.js';
import { CreatedResources, subscriptionIdIn } from './created-resources.js';
import { contactIdIn, contactIn, type SeenContact } from './exchange/contact.js';
import type { Endpoint, HttpRequester, RequestParts } from './exchange/http-requester.js';
import type { JsonObject } from './exchange/json.js';
import { type Answer, isSuccess, notAsked, type Outcome } from './exchange/outcome.js';
import type { Settings } from './options.js';

/** A contact that the run made. */
export interface OwnContact {
  readonly id: string;
  readonly phone: string;
}

/** Needs no more than a name that nobody would give to an event that matters. */
export const eventName = 'conformance_check';

const noPhone = 'a phone number that is seen to belong to nobody';
const noContact = 'a contact that can be made';
const noSubscription = 'a subscription that can be made';
const foreignContact = 'a phone that nobody has: a contact that was there before answered, and is left alone';
const maximumDraws = 5;

/**
 * One run's stay at a deployment: what it asks, and what it makes there and removes again. What a request needs may be
 * missing, because an earlier answer did not give it: then it is not asked.
 */
export class ConformanceRun {
  readonly settings: Settings;
  /** A contact that stays for the whole run. */
  contact: OwnContact | undefined;
  /** The templates that the deployment lists. */
  templateIds: readonly string[] = [];
  readonly #requester: HttpRequester;
  readonly #created = new CreatedResources();
  readonly #drawn = new Set<string>();
  readonly #upserted = new Set<string>();
  readonly #foreignPhones = new Set<string>();

  constructor(settings: Settings, requester: HttpRequester) {
    this.settings = settings;
    this.#requester = requester;
  }

  /** The phone numbers that play a part in the run. */
  get phones(): ReadonlySet<string> {
    const { send } = this.settings;
    const told = [send?.phone, send?.rejectedPhone].filter((phone) => phone !== undefined);
    return new Set([...told, ...this.#drawn]);
  }

  /** What was seen of all answers. */
  get observed(): HttpRequester['observed'] {
    return this.#requester.observed;
  }

  request(endpoint: Endpoint, parts?: RequestParts): Promise<Outcome> {
    return this.#requester.request(endpoint, parts);
  }

  /** Asks nothing more, for this reason. */
  stop(why: string): void {
    this.#requester.stop(why);
  }

  /** A phone number that no contact has, as the deployment says, and its answer. */
  async freePhone(): Promise<{ readonly phone: string | undefined; readonly lookup: Outcome }> {
    let lookup: Outcome = notAsked(noPhone);
    for (let draw = 0; draw < maximumDraws; draw += 1) {
      const phone = this.settings.newPhone();
      if (this.#drawn.has(phone)) continue;
      this.#drawn.add(phone);
      lookup = await this.find(phone);
      if (isFree(phone, lookup)) return { phone, lookup };
    }
    return { phone: undefined, lookup };
  }

  find(phone: string | undefined, apiKey = this.settings.apiKey): Promise<Outcome> {
    return given(phone, noPhone, (value) =>
      this.request(operations.contacts.find, { query: { phone: value }, apiKey }),
    );
  }

  /** Makes or updates a contact. Its phone must be free, or that of a contact which this run made. */
  upsert(
    phone: string | undefined,
    properties?: JsonObject,
    apiKey: string = this.settings.apiKey,
  ): Promise<Outcome> {
    return given(phone, noPhone, async (value) => {
      if (this.#foreignPhones.has(value)) return notAsked(foreignContact);
      const body = { phone: value, ...(properties && { properties }) };
      const outcome = await this.request(operations.contacts.upsert, { body, apiKey });
      this.#created.contactAsked(value, apiKey, outcome);
      const isFirst = !this.#upserted.has(value);
      this.#upserted.add(value);
      if (!isFirst || !showsAnotherHand(outcome, properties)) return outcome;
      const id = contactIdIn(outcome);
      if (id !== undefined) this.#created.isForeign(id);
      this.#foreignPhones.add(value);
      return notAsked(foreignContact);
    });
  }

  /**
   * Sees to it that a contact has this phone, which may be a real person's. One that was there is left as it is; only one
   * that was made just now, as the deployment says, is removed at the end.
   */
  async makeReachable(phone: string, apiKey: string = this.settings.apiKey): Promise<boolean> {
    const found = await this.find(phone, apiKey);
    const isNobody = found.kind === 'answer' && (found.status === 404 || (found.ok && isEmpty(found, phone)));
    if (!isNobody) return isSuccess(found);
    const made = await this.request(operations.contacts.upsert, { body: { phone }, apiKey });
    if (made.kind === 'answer' && made.status === operations.contacts.upsert.successes.created) {
      this.#created.contactAsked(phone, apiKey, made);
    } else if (isSuccess(made)) {
      this.#created.contactDoubted(phone);
    }
    return isSuccess(made);
  }

  get(id: string | undefined, apiKey = this.settings.apiKey): Promise<Outcome> {
    return given(id, noContact, (value) => this.request(operations.contacts.get, { id: value, apiKey }));
  }

  update(id: string | undefined, properties: JsonObject): Promise<Outcome> {
    return given(id, noContact, (value) =>
      this.request(operations.contacts.update, { id: value, body: { properties } }),
    );
  }

  delete(id: string | undefined): Promise<Outcome> {
    return given(id, noContact, async (value) => {
      const outcome = await this.request(operations.contacts.delete, { id: value });
      if (isSuccess(outcome)) this.#created.contactRemoved(value);
      return outcome;
    });
  }

  /** A contact as the deployment has it now, whichever of its two endpoints shows it. */
  async read({
    id,
    phone,
  }: {
    readonly id: string | undefined;
    readonly phone: string | undefined;
  }): Promise<SeenContact | undefined> {
    for (const ask of [() => this.get(id), () => this.find(phone)]) {
      const outcome = await ask();
      const contact = isSuccess(outcome) ? contactIn(outcome) : undefined;
      if (contact?.properties !== undefined && (id === undefined || String(contact.id) === id))
        return contact;
    }
    return undefined;
  }

  /** Makes a subscription. */
  async subscribe(body: { readonly url?: string; readonly events?: readonly string[] }): Promise<Outcome> {
    if (!this.settings.webhooks) return notAsked('subscriptions that may be made (webhooks)');
    const outcome = await this.request(operations.webhooks.create, { body });
    this.subscriptionAsked(body.url ?? '', outcome);
    return outcome;
  }

  /** Takes note of a subscription that may have been made. */
  subscriptionAsked(url: string, outcome: Outcome): void {
    this.#created.subscriptionAsked(url, outcome);
  }

  unsubscribe(created: Outcome): Promise<Outcome> {
    const id = subscriptionIdIn(created);
    const why = created.kind === 'not_asked' ? created.why : noSubscription;
    return given(id, why, async (value) => {
      const outcome = await this.request(operations.webhooks.delete, { id: value });
      if (isSuccess(outcome)) this.#created.subscriptionRemoved(value);
      return outcome;
    });
  }

  /** Keeps subscriptions that were there before from being removed. */
  leaveSubscription(id: string): void {
    this.#created.isForeign(id);
  }

  /** Tracks an event for a contact, named by its id, by its phone, or by both. */
  track(contact: {
    readonly contactId?: string | undefined;
    readonly phone?: string | undefined;
  }): Promise<Outcome> {
    const { contactId, phone } = contact;
    return given(contactId ?? phone, noContact, () =>
      this.trackForNobody({ ...(contactId && { contactId }), ...(phone && { phone }) }),
    );
  }

  /** Tracks an event as it stands, which without a contact is for nobody. */
  async trackForNobody(contact: object = {}): Promise<Outcome> {
    if (!this.settings.events) return notAsked('events that may be tracked (events)');
    return this.request(operations.events.track, { body: { event: eventName, ...contact } });
  }

  /** Removes all that the run made, and gives what could not be removed. */
  leave(): Promise<readonly string[]> {
    this.#requester.leave();
    return this.#created.remove(this.#requester);
  }
}

/** Whether nobody has the phone, so far as the answer says. */
function isFree(phone: string, lookup: Outcome): boolean {
  if (lookup.kind !== 'answer') return false;
  if (isSuccess(lookup)) return isEmpty(lookup, phone);
  return lookup.status >= 400 && lookup.status < 500 && ![401, 403, 408, 429].includes(lookup.status);
}

/** Whether a success, which should not be one, shows no contact at all. */
const isEmpty = (answer: Answer, phone: string) =>
  contactIn(answer) === undefined && !answer.text.includes(phone.slice(1)) && answer.text.length <= 20;

/**
 * Whether a contact that should have been made just now was there before: it was updated, and has properties that nobody
 * gave it here. The lookup before should have said so; where it does not, at least nothing more is done to the contact.
 */
function showsAnotherHand(outcome: Outcome, given: JsonObject = {}): boolean {
  if (outcome.kind !== 'answer' || outcome.status !== operations.contacts.upsert.successes.updated)
    return false;
  const names = Object.keys(contactIn(outcome)?.properties ?? {});
  return names.some((name) => name !== 'phone' && !Object.hasOwn(given, name));
}

function given(
  value: string | undefined,
  needed: string,
  ask: (value: string) => Promise<Outcome>,
): Promise<Outcome> {
  return value === undefined ? Promise.resolve(notAsked(needed)) : ask(value);
}
