import type { DeliverySnapshot, EntryJson, EntryJsonOf, JourneyRunRecord } from '../surface/entry.js';
import { errorIn, parsed, written } from '../surface/refused-error.js';
import { inWords } from './contract-words.js';
import { injectedInWords, kindInWords } from './faults.js';
import { timeNear } from './times.js';

/** The outcome of an entry, as its color shows it. */
export type Tone = 'ok' | 'bad' | 'wait' | 'plain';

/** The description of an entry in the timeline. */
export interface EntryDescription {
  /** The subject. */
  readonly title: string;
  /** The most important detail. */
  readonly detail: string;
  /** The outcome, in a word or two. Empty for a step that is only one on the way. */
  readonly outcome: string;
  readonly tone: Tone;
}

/** Describes an entry. */
export function describeEntry(entry: EntryJson): EntryDescription {
  switch (entry.type) {
    case 'request':
      return request(entry);
    case 'fault':
      return fault(entry);
    case 'send':
      return {
        title: entry.send.templateId,
        detail: (entry.send.toOptedOut ? 'the contact had opted out · ' : '') + quoted(entry.send.text),
        outcome: entry.send.journeyRunId === undefined ? 'sent' : 'sent by a journey',
        tone: entry.send.toOptedOut ? 'wait' : 'ok',
      };
    case 'event':
      return {
        title: entry.event.event,
        detail: propertiesInWords(entry.event.properties),
        outcome: 'tracked',
        tone: 'ok',
      };
    case 'message':
      return {
        title: quoted(entry.body),
        detail: '',
        outcome: entry.consent === undefined ? 'received' : inWords(entry.consent),
        tone: entry.consent === 'opted_out' ? 'wait' : 'ok',
      };
    case 'attempt':
      return attempt(entry);
    case 'journey':
      return journey(entry.at, entry.run);
    case 'change': {
      // A snapshot is long.
      const detail = (entry.arguments ?? []).map((each) => written(each).slice(0, 200)).join(' · ');
      return { title: entry.operation, detail, outcome: 'changed', tone: 'plain' };
    }
  }
}

function request(entry: EntryJsonOf<'request'>): EntryDescription {
  const { method, path, status, responseBody: response = '', faults = [] } = entry;
  const refused = status === undefined || status >= 400;
  // The error of an injected status only says that it was injected.
  const isInjected = faults.some(({ kind }) => kind === 'status' || kind === 'rate_limit');
  return {
    title: `${method} ${path.replace(/^\/api/, '').replace(/\?.*/, '')}`,
    detail: [
      ...injectedInWords(faults.map((fault) => ({ operation: 'any', fault }))),
      ...(refused && !isInjected ? [errorIn(response).message] : []),
    ].join(' · '),
    outcome: status === undefined ? 'no response' : String(status),
    tone: refused ? 'bad' : 'ok',
  };
}

function fault(entry: EntryJsonOf<'fault'>): EntryDescription {
  const rule =
    'event' in entry
      ? ({ delivery: entry.event, fault: entry.fault } as const)
      : ({ operation: 'any', fault: entry.fault } as const);
  const detail = 'event' in entry ? `delivery of ${entry.event}` : entry.operation;
  return { title: `Fault: ${kindInWords(rule)}`, detail, outcome: 'injected', tone: 'wait' };
}

function attempt({ delivery, attempt: { number, status, error } }: EntryJsonOf<'attempt'>): EntryDescription {
  const { body } = dataIn(delivery);
  return {
    title: `${delivery.event} to ${hostAndPath(delivery.url)}`,
    detail:
      error === undefined ? (typeof body === 'string' ? quoted(body) : '') : `attempt ${number}: ${error}`,
    outcome: status === undefined ? 'no response' : String(status),
    tone: error === undefined ? 'ok' : 'bad',
  };
}

function journey(
  at: number,
  { journeyId, status, position, dueAt, error }: JourneyRunRecord,
): EntryDescription {
  const isLater = status === 'waiting' && dueAt > at;
  const tone = status === 'failed' ? 'bad' : status === 'finished' ? 'ok' : 'plain';
  return {
    title: journeyId,
    detail: error ?? (isLater ? `until ${timeNear(dueAt, at)}` : ''),
    outcome: status !== 'waiting' ? status : position === 0 ? 'began' : '',
    tone,
  };
}

function propertiesInWords(properties: object): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name} ${written(value)}`)
    .join(', ');
}

type Data = Readonly<Record<string, unknown>>;

/** The data of the events that were read, which many views ask for again and again. */
const read = new WeakMap<object, Data>();

/** Reads the data of the event in a delivery's body. Each field may be absent. */
export function dataIn(delivery: Pick<DeliverySnapshot, 'body'>): Data {
  const data = read.get(delivery) ?? Object(Object(parsed(delivery.body)).data);
  read.set(delivery, data);
  return data;
}

/** Who an entry is about, as far as the entry says. */
export interface NamedContact {
  readonly phone?: string | undefined;
  readonly contactId?: string | undefined;
}

/** The contacts that were read, which a search asks for again and again. */
const named = new WeakMap<EntryJson, NamedContact>();

/** The phone and the id of the contact that an entry is about, as far as the entry says. */
export function contactOf(entry: EntryJson): NamedContact {
  const contact = named.get(entry) ?? readContact(entry);
  named.set(entry, contact);
  return contact;
}

function readContact(entry: EntryJson): NamedContact {
  switch (entry.type) {
    case 'send':
      return entry.send;
    case 'event':
      return { phone: entry.phone, contactId: entry.event.contactId };
    case 'message':
      return entry;
    case 'attempt':
      return asContact(dataIn(entry.delivery));
    case 'journey':
      return entry.run;
    case 'request':
      return contactOfRequest(entry);
    case 'fault':
    case 'change':
      return {};
  }
}

function contactOfRequest({ operation, path, body, responseBody }: EntryJsonOf<'request'>): NamedContact {
  const phone = new URLSearchParams(path.split('?')[1]).get('phone') ?? Object(parsed(body ?? '')).phone;
  if (!operation.startsWith('contacts.')) return asContact({ phone });
  const returned = Object(parsed(responseBody ?? ''));
  const contactId = /\/contacts\/([^/?]+)/.exec(path)?.[1];
  return asContact({
    phone: phone ?? Object(returned.properties).phone,
    contactId: contactId === 'find' || contactId === undefined ? returned.id : contactId,
  });
}

function asContact({ phone, contactId }: Data): NamedContact {
  return {
    ...(typeof phone === 'string' && { phone }),
    ...(typeof contactId === 'string' && { contactId }),
  };
}

/** A URL without its scheme and query. */
export function hostAndPath(url: string): string {
  return url.replace(/^(?:listen:)?https?:\/\//, '').replace(/\?.*/, '');
}

function quoted(text: string): string {
  return `“${text}”`;
}
