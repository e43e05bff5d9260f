import type { ContactOptedInEvent, ContactOptedOutEvent } from '../../contract/delivery.js';
import { isPhone } from '../../contract/phone.js';
import { momentOf } from '../../contract/timestamp.js';
import { type Clock, systemClock } from '../../foundation/clock.js';
import {
  aFunction,
  ConfigurationError,
  checkOptions,
  hasMethods,
  required,
} from '../../foundation/options.js';
import { createWarnings } from '../../foundation/runtime.js';
import { aKeyValueService, type KeyValueService } from '../../key-value/key-value-service.js';
import { digest, forEver } from '../../key-value/records.js';
import type { SendGuard } from '../configuration.js';

/** Options of {@link createOptOutList}. */
export type OptOutListOptions = {
  /**
   * Where the list is kept, for ever: `createRedisKeyValueStore`, `createPostgresKeyValueStore`, `createMemoryKeyValueStore`, or
   * any key-value service with compare-and-set. All processes that send or receive for a workspace share one. Workspaces do not: give
   * each its own prefix or table.
   */
  readonly store: KeyValueService;
  /**
   * Returns the phone of the contact of an event, in E.164 format, because the service does not document the data of these events.
   * Default: `event.data.phone`.
   */
  readonly phoneOf?:
    | ((
        event: ContactOptedInEvent | ContactOptedOutEvent,
      ) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** The source of time for `add` and `remove`. Default: the machine's clock. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
};

/**
 * Who has opted out, by {@link createOptOutList}. It is a guard of the client, and has the handlers for a receiver. You can pass each of
 * its functions alone.
 */
export interface OptOutList extends SendGuard {
  /**
   * The handler of `contact.opted_out`. It throws if it cannot record the event, so that the service sends the delivery again. An
   * event of another type changes nothing, and a process warning reports the first.
   */
  readonly onOptedOut: (event: ContactOptedOutEvent) => Promise<void>;
  /** The handler of `contact.opted_in`. In all else, it is like `onOptedOut`. */
  readonly onOptedIn: (event: ContactOptedInEvent) => Promise<void>;
  /** Whether the contact with this phone has opted out. */
  readonly has: (phone: string) => Promise<boolean>;
  /** Records that the contact with this phone opts out now. For forms, and for lists from elsewhere. */
  readonly add: (phone: string) => Promise<void>;
  /** Records that the contact with this phone consents now. */
  readonly remove: (phone: string) => Promise<void>;
}

const consentPattern = /^$|Z contact\.opted_(?:in|out)$/;

type ConsentEvent = ContactOptedInEvent | ContactOptedOutEvent;

type Consent = ConsentEvent['event'];

/** Whether an event is of a type that says who consents. A receiver may pass any, for example with `onAny`. */
function isOfConsent(event: ConsentEvent | null | undefined): event is ConsentEvent {
  return event?.event === 'contact.opted_out' || event?.event === 'contact.opted_in';
}

/** How often a change is tried. Each time that it fails, another change of the same phone has succeeded. */
const mostTries = 50;

/**
 * Creates a list of who has opted out. Give its handlers to your receiver, and the list to your client, which then sends nothing to
 * those on it.
 *
 * Deliveries can come late and in any order: the newest timestamp counts, and of two with the same timestamp the opt-out. The store gets
 * digests of the phones, not the phones.
 *
 * @throws {ConfigurationError} when an option is invalid.
 *
 * @example
 * ```ts
 * import { createMemoryKeyValueStore, createOptOutList, MessagingAutomation } from 'messaging-automation';
 * import { createWebhookReceiver } from 'messaging-automation/webhooks';
 *
 * const optOuts = createOptOutList({ store: createMemoryKeyValueStore() });
 * const receiver = createWebhookReceiver({ secret: 'whsec_example' })
 *   .on('contact.opted_out', optOuts.onOptedOut)
 *   .on('contact.opted_in', optOuts.onOptedIn);
 * const messaging = new MessagingAutomation({ guards: [optOuts] });
 * ```
 */
export function createOptOutList(options: OptOutListOptions): OptOutList {
  checkOptions('createOptOutList', options, {
    store: required(aKeyValueService),
    phoneOf: aFunction,
    clock: [hasMethods('now'), 'an object with the method now'],
  });
  const { store, phoneOf = ({ data }) => data?.phone, clock = systemClock } = options;
  const warnOnce = createWarnings('MessagingAutomationConfiguration');

  /** The latest consent of the contact. An absent key has the value ''. */
  async function consentOf(key: string): Promise<string> {
    const consent: unknown = (await store.get(key)) ?? '';
    if (typeof consent === 'string' && consentPattern.test(consent)) return consent;
    throw new TypeError('The store of the opt-out list has a value that is not a record of it.');
  }

  const has = async (phone: string) => (await consentOf(await keyOf(phone))).endsWith('out');

  async function record(event: ConsentEvent): Promise<void> {
    if (!isOfConsent(event)) return warnOnce('type', otherEvent);
    const at = momentOf(event.timestamp);
    if (at === undefined)
      throw new TypeError('An event of consent has no timestamp, so it cannot be recorded.');
    await write(await keyOf(await phoneOf(event)), textOf(at, event.event));
  }

  /** Writes a consent over what is older, and over `replaced`. */
  async function write(key: string, latest: string, replaced?: string): Promise<void> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const known = await consentOf(key);
      if (known >= latest && known !== replaced) return;
      const writing =
        known === ''
          ? store.setIfAbsent(key, latest, forEver)
          : store.replaceIfEqual(key, known, latest, forEver);
      if ((await writing) === true) return;
    }
    throw new Error(
      'The store of the opt-out list refuses each change. Check its setIfAbsent and replaceIfEqual.',
    );
  }

  /** What was known before gives way, also if its clock was ahead. An event that arrives meanwhile does not. */
  async function set(phone: string, consent: Consent): Promise<void> {
    const key = await keyOf(phone);
    await write(key, textOf(clock.now(), consent), await consentOf(key));
  }

  return {
    onOptedOut: record,
    onOptedIn: record,
    has,
    add: (phone) => set(phone, 'contact.opted_out'),
    remove: (phone) => set(phone, 'contact.opted_in'),
    check: async ({ phone }) => ((await has(phone)) ? 'the contact has opted out' : undefined),
  };
}

const otherEvent =
  'The opt-out list ignored an event that is neither contact.opted_out nor contact.opted_in. Add its handlers for these two types.';

/**
 * What the store has of a phone: a moment and the consent. Of two such texts, the greater one counts: it is newer, or it is the opt-out of
 * the same moment.
 */
function textOf(at: number, consent: Consent): string {
  return `${new Date(at).toISOString()} ${consent}`;
}

/** @throws {TypeError} when it is not a phone number: another text would be another key. */
async function keyOf(phone: unknown): Promise<string> {
  if (isPhone(phone)) return `opt-out:${await digest(phone)}`;
  throw new TypeError(
    'There is no phone in E.164 format. If events have none, set phoneOf of the opt-out list.',
  );
}

/**
 * Creates a guard that lets out messages to these phones alone, for staging and for tests against a deployment. An empty list lets out
 * nothing.
 *
 * @param phones The phone numbers in E.164 format.
 * @throws {ConfigurationError} when one of them is not a phone number in E.164 format.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, onlyTo } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation({ guards: [onlyTo(['+15551234567'])] });
 * const message = { phone: '+15557654321', templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1001' } };
 * await messaging.transactional.send(message).catch((error) => console.log(error.reason)); // the phone is not in the list of onlyTo
 * ```
 */
export function onlyTo(phones: readonly string[]): SendGuard {
  const wrong = Array.isArray(phones) ? phones.findIndex((phone) => !isPhone(phone)) : undefined;
  if (wrong !== -1) {
    const what =
      wrong === undefined
        ? 'phones must be an array of phone numbers'
        : `phones[${wrong}] must be a phone number`;
    throw new ConfigurationError(`onlyTo: ${what} in E.164 format, such as +15551234567.`);
  }
  const allowed = new Set(phones);
  return {
    check: ({ phone }) => (allowed.has(phone) ? undefined : 'the phone is not in the list of onlyTo'),
  };
}
