import type { TrackResult } from '../../contract/event.js';
import type { SendResult } from '../../contract/transactional.js';
import { isObject } from '../../foundation/is-object.js';
import { ConfigurationError } from '../../foundation/options.js';
import { digest } from '../../key-value/records.js';

/** An operation that an idempotency key makes once. */
export interface KeyedOperation<Result = unknown> {
  readonly name: 'transactional.send' | 'events.track';
  readonly resource: 'transactional' | 'events';
  /** What the names of its records begin with. So a send and an event may have the same key. */
  readonly namespace: 'send' | 'event';
  /** What the key names: one of these. */
  readonly noun: 'message' | 'event';
  /** The fields of its request that belong to a key, in words. */
  readonly standsFor: string;
  /** Reads those fields: what was to be sent, and to whom. */
  readonly subjectOf: (body: Readonly<Record<string, unknown>>) => Subject;
  /** The result of a call that an earlier one has made. */
  readonly replay: Result;
}

/** What a request is about. */
export interface Subject {
  /** The id of the template, or the name of the event. */
  readonly about: string;
  /** The phone of the contact, or its id. */
  readonly contact: string;
}

export const keyedSend: KeyedOperation<SendResult> = {
  name: 'transactional.send',
  resource: 'transactional',
  namespace: 'send',
  noun: 'message',
  standsFor: 'phone or template',
  subjectOf: ({ templateId, phone }) => ({ about: String(templateId), contact: String(phone) }),
  replay: { success: true, replayed: true },
};

export const keyedTrack: KeyedOperation<TrackResult> = {
  name: 'events.track',
  resource: 'events',
  namespace: 'event',
  noun: 'event',
  standsFor: 'contact or event',
  subjectOf: ({ event, phone, contactId }) => ({ about: String(event), contact: String(phone ?? contactId) }),
  replay: { accepted: true, replayed: true },
};

/**
 * What a store knows of a key. It is `sending` from the claim of a call until the request is known as carried out. The call renews a lease
 * meanwhile. An open record without a lease has an unknown outcome: its call ended without knowing, or its process died or is paused.
 */
export interface KeyRecord {
  readonly state: 'sending' | 'sent';
  /** The id of the call that claimed the key, which names its lease. */
  readonly call: string;
  /** A digest of the key, the contact and the template or event. */
  readonly use: string;
  /** The base URL of the deployment. Records of 0.2.0 have none. */
  readonly baseUrl?: string | undefined;
  /** How often the call has taken the key again after it was paused. */
  readonly renewals?: number | undefined;
  /** What a person needs to settle the key. It leaves the store when the outcome is known. */
  readonly unsettled?: UnsettledFacts | undefined;
  /** The service's id of the request that was carried out. */
  readonly requestId?: string | undefined;
}

/** What an open record says to a person. */
export interface UnsettledFacts extends Subject {
  readonly key: string;
  /** When the key was claimed, in milliseconds since the Unix epoch. */
  readonly since: number;
}

/** The name of the record of a key. */
export async function recordName({ namespace }: KeyedOperation, key: string): Promise<string> {
  return `${namespace}:${await digest(key)}`;
}

/** The name of the lease of the call that has a record. */
export function leaseName({ call }: KeyRecord): string {
  return `lease:${call}`;
}

/** What the text of every open record begins with. */
export const openRecordPrefix = '{"state":"sending"';

/** The text of a record. Two records of one state differ in it, so a store can compare them. */
export function textOf({ state, ...facts }: KeyRecord): string {
  return JSON.stringify({ state, ...facts });
}

/** The record that a call leaves when the request was carried out. It has only digests of the key and of the contact. */
export function sentRecord({ call, use, baseUrl }: KeyRecord, requestId?: string): KeyRecord {
  return { state: 'sent', call, use, baseUrl, requestId: requestId?.slice(0, 200) };
}

/** @throws {ConfigurationError} when the value is not a record: the store is shared with something else. */
export function recordOf(text: string): KeyRecord {
  const { state, call, use, baseUrl, renewals, unsettled, requestId } = fieldsOf(text);
  if ((state === 'sending' || state === 'sent') && typeof call === 'string' && typeof use === 'string') {
    return {
      state,
      call,
      use,
      baseUrl: typeof baseUrl === 'string' ? baseUrl : undefined,
      renewals: typeof renewals === 'number' ? renewals : undefined,
      unsettled: unsettledFactsOf(unsettled),
      requestId: typeof requestId === 'string' ? requestId : undefined,
    };
  }
  throw new ConfigurationError(
    'the store has a value under this key that is not a record of a request. Give the client a prefix or a table of its own',
  );
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function unsettledFactsOf(value: unknown): UnsettledFacts | undefined {
  const { key, about, contact, since }: Readonly<Record<string, unknown>> = isObject(value) ? value : {};
  const isWhole = typeof key === 'string' && typeof about === 'string' && typeof contact === 'string';
  return isWhole && typeof since === 'number' ? { key, about, contact, since } : undefined;
}
