import type { AnyOperation } from '../../contract/operation.js';
import { operationList } from '../../contract/operations.js';
import { validate } from '../../contract/schema.js';
import type { EntryOf, MessageEntry, RequestEntry } from '../model/journal-entry.js';
import type { ContactRecord } from '../model/records.js';
import { eventDataIn, literal, parsed, textIn } from './code.js';
import { type NumberedEntry, relationsOf } from './inspection.js';

/** The journal around an entry. */
export interface Surroundings {
  /** The journal, oldest first. */
  readonly journal: readonly NumberedEntry[];
  /** The contacts of the workspace, as they are now. */
  readonly contacts: readonly ContactRecord[];
}

/** The phone of an invented contact. */
export const examplePhone = '+15551234567';

/** Finds the entry that caused another one. */
export function causeOf(entry: NumberedEntry, { journal }: Surroundings): NumberedEntry | undefined {
  return relationsOf(entry, journal).causes[0];
}

/** Finds the contact with an id or a phone. Undefined if it was deleted. */
export function contactNamed(
  { contacts }: Surroundings,
  name: string | undefined,
): ContactRecord | undefined {
  return contacts.find(({ id, phone }) => id === name || phone === name);
}

/** Returns the step that creates a contact that is missing in the seed. */
export function creating(phone: string, surroundings: Surroundings): readonly string[] {
  if (contactNamed(surroundings, phone) !== undefined) return [];
  return [`await server.client.contacts.upsert(${literal({ phone })});`];
}

/** Returns the call that repeats a send. */
export function callOfSend({ phone, templateId, variables }: EntryOf<'send'>['send']): string {
  return `transactional.send(${literal({ phone, templateId, variables })})`;
}

/** Returns the call that repeats a tracked event. */
export function callOfEvent({ phone, event: { event, properties } }: EntryOf<'event'>): string {
  return `events.track(${literal({ phone, event, properties })})`;
}

/** Returns the call that repeats an inbound message. */
export function callOfMessage({ phone, body }: Pick<MessageEntry, 'phone' | 'body'>): string {
  return `await server.simulate.inboundMessage(${literal({ phone, body })});`;
}

/** Returns the steps that start a journey again and run it to its end. */
export function journeySteps(run: NumberedEntry, surroundings: Surroundings): readonly string[] {
  const event = causeOf(run, surroundings);
  return [
    ...(event?.type === 'event'
      ? [...creating(event.phone, surroundings), `await server.client.${callOfEvent(event)};`]
      : ['// The journal no longer has the event that started the journey. Track it here.']),
    'await server.clock.runToIdle();',
  ];
}

/** Returns the step that makes the service deliver again. */
export function deliveryStep(
  attempt: EntryOf<'attempt'> & NumberedEntry,
  surroundings: Surroundings,
): string {
  const cause = causeOf(attempt, surroundings);
  if (cause?.type === 'message') return callOfMessage(cause);
  const data = eventDataIn(attempt.delivery);
  const phone = textIn(data, 'phone');
  const body = textIn(data, 'body') ?? textIn(data, 'keyword');
  return phone === undefined || body === undefined
    ? '// Neither the journal nor the delivery says what the contact wrote. Simulate it here.'
    : callOfMessage({ phone, body });
}

const utf8 = new TextDecoder();

/** The parts of a request in the journal. */
export interface RequestParts {
  readonly operation: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: string | undefined;
  /** The parameters of the path, such as a contact's id. */
  readonly inPath: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

export function partsOf({ operation: name, method, path, body }: RequestEntry): RequestParts {
  const [plain = '', search = ''] = path.replace(/^\/api/, '').split('?');
  const segments = plain.split('/');
  const template = operationNamed(name)?.path.split('/') ?? [];
  const inPath = template.flatMap((part, index) =>
    part.startsWith(':') ? [[part.slice(1), decoded(segments[index] ?? '')]] : [],
  );
  return {
    operation: name,
    method,
    path,
    body: body && utf8.decode(body),
    inPath: Object.fromEntries(inPath),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

/** Returns the call of the client that sends this request, such as `contacts.get('contact_1')`. */
export function callOf({ operation, inPath, query, body }: RequestParts): string {
  const given: readonly unknown[] = [
    ...Object.values(inPath),
    ...Object.values(query),
    ...(body === undefined ? [] : [parsed(body)]),
  ];
  return `${operation}(${given.map((value) => literal(value)).join(', ')})`;
}

/** Whether the client can send this request. It rejects invalid input. */
export function isOfSdk({ operation, inPath: path, query, body }: RequestParts): boolean {
  const request: AnyOperation['request'] = operationNamed(operation)?.request ?? {};
  return (
    fits(request.path, path) &&
    fits(request.query, query) &&
    (request.body === undefined ? body === undefined : fits(request.body, parsed(body ?? '')))
  );
}

function fits(schema: Parameters<typeof validate>[0] | undefined, value: unknown): boolean {
  if (schema === undefined) return Object.keys(Object(value)).length === 0;
  return validate(schema, value).valid;
}

function operationNamed(name: string): AnyOperation | undefined {
  return operationList.find((operation) => operation.name === name);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
