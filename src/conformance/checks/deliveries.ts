import { deliveryDataFields, deliveryRetries, signatureHeader } from '../../contract/delivery.js';
import { phoneSchema } from '../../contract/phone.js';
import { validate } from '../../contract/schema.js';
import { secretPrefix } from '../../contract/subscription.js';
import { verifyWebhook } from '../../webhooks/verification/verify.js';
import { type Check, checkGroup, type Silence } from '../check-group.js';
import {
  bodyOf,
  dataOf,
  type ObservedDeliveries,
  observeDeliveries,
  receivers,
  senderPhone,
} from '../deliveries/delivery-scenario.js';
import type { ReceivedDelivery } from '../deliveries/listener.js';
import { fieldOf, isObject } from '../exchange/json.js';
import { isSuccess, type NotAsked, shapeOf } from '../exchange/outcome.js';
import { broken, holds, type Judgement, notChecked } from '../judgement.js';

const utcWithMilliseconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** A check of what was delivered; it is not made where nothing could be provoked. */
function delivered(
  section: string,
  statement: string,
  judge: (seen: ObservedDeliveries) => Judgement,
): Check<Seen> {
  return { section, statement, judge: (seen) => ('kind' in seen ? notChecked(seen.why) : judge(seen)) };
}

/** The same of every single delivery: it holds where it holds for all. */
function everyDelivery(
  section: string,
  statement: string,
  isSo: (delivery: ReceivedDelivery, seen: ObservedDeliveries) => boolean,
  expected: string,
): Check<Seen> {
  return delivered(section, statement, (seen) => {
    if (seen.received.length === 0) return notChecked('a delivery that arrives');
    const wrong = seen.received.filter((delivery) => !isSo(delivery, seen));
    const { length } = seen.received;
    if (wrong.length === 0)
      return holds(true, length === 1 ? 'the one delivery' : `all ${length} deliveries`, '');
    return broken(`not so in ${wrong.length} of ${length} deliveries`, expected);
  });
}

type Seen = ObservedDeliveries | NotAsked;

const at = ({ received }: ObservedDeliveries, receiver: string) =>
  received.filter((delivery) => delivery.receiver === receiver);
const eventOf = (delivery: ReceivedDelivery) => fieldOf(bodyOf(delivery), 'event');
const nothing = 'nothing was delivered';

/** What is said of an event type: its delivery came, and has its name. A body without a name is judged elsewhere. */
function comes(seen: ObservedDeliveries, event: string, ...from: readonly string[]): Judgement {
  const received = from.flatMap((receiver) => at(seen, receiver));
  if (received.length === 0) return broken(nothing, `a delivery of ${event}`);
  const names = received.map(eventOf).filter((name) => typeof name === 'string');
  if (names.length === 0 || names.includes(event)) return holds(true, 'it was delivered', '');
  return broken('it was delivered under another name', `a delivery of ${event}`);
}

export const deliveries = checkGroup<Seen>({
  observe: observeDeliveries,
  checks: [
    delivered('§3', 'a subscription that is delivered to carries enabled: true', (seen) => {
      const to = Object.entries(seen.subscriptions).filter(([receiver]) => at(seen, receiver).length > 0);
      const values = to.map(([, created]) =>
        isSuccess(created) ? fieldOf(created.json, 'enabled') : undefined,
      );
      const flags = values.filter((enabled) => typeof enabled === 'boolean');
      if (flags.length === 0)
        return notChecked('a delivery to a subscription that says whether it is enabled');
      return holds(
        flags.every((enabled) => enabled),
        `enabled: ${flags.every((enabled) => enabled)}`,
        'enabled: true',
      );
    }),
    delivered('§6', 'message.received: a contact sent the workspace a message', (seen) =>
      comes(seen, 'message.received', 'received', 'received-too'),
    ),
    delivered('§6', 'contact.opted_in: a contact consented by a start keyword', (seen) =>
      comes(seen, 'contact.opted_in', 'opted-in'),
    ),
    delivered('§6', 'contact.opted_out: a contact withdrew consent by a stop keyword', (seen) =>
      comes(seen, 'contact.opted_out', 'opted-out'),
    ),
    everyDelivery(
      '§6',
      "Delivery: an HTTP POST with a JSON body to the subscription's url",
      (delivery) =>
        delivery.method === 'POST' &&
        /\bjson\b/i.test(delivery.headers.get('content-type') ?? '') &&
        isObject(bodyOf(delivery)),
      'POST, application/json, a JSON object',
    ),
    delivered('§6', 'Delivery: only subscribed events are sent', (seen) => {
      if (seen.received.length === 0) return notChecked('a delivery that arrives');
      const wrong = seen.received.filter((delivery) => isUnasked(seen, delivery));
      return holds(
        wrong.length === 0,
        wrong.length === 0 ? 'no other came' : `${wrong.length} others came`,
        'no other',
      );
    }),
    delivered('§6', 'Delivery: every subscription to the event gets it', (seen) => {
      const [one, two] = [at(seen, 'received').length, at(seen, 'received-too').length];
      if (one + two === 0) return notChecked('a delivery that arrives');
      return holds(one > 0 && two > 0, one > 0 && two > 0 ? 'both got it' : 'one of two got it', 'both');
    }),
    everyDelivery(
      '§6',
      'Delivery: event, workspaceId, timestamp and data',
      (delivery, seen) => isEnvelope(bodyOf(delivery), seen),
      'strings, and an object as data',
    ),
    everyDelivery(
      '§6',
      'Delivery: timestamp is ISO 8601, UTC, with milliseconds',
      (delivery) => isTimeOrNoText(fieldOf(bodyOf(delivery), 'timestamp')),
      'as in 2026-01-31T12:00:00.000Z',
    ),
    delivered('§6', 'message.received: the shape of its data', (seen) => {
      const data = [...at(seen, 'received'), ...at(seen, 'received-too')].map(dataOf).filter(isObject);
      if (data.length === 0) return notChecked('a message that is delivered, with its data');
      const wrong = new Set(data.flatMap((each) => wrongFields(each, senderPhone(seen))));
      const names = [...wrong].join(', ');
      return holds(
        wrong.size === 0,
        names === '' ? 'all seven fields' : `${names}: not so`,
        'the fields of §6',
      );
    }),
    delivered('§6', 'Delivery: nothing after the subscription was deleted', ({ afterDeletion }) => {
      if (afterDeletion === undefined)
        return notChecked('a subscription that can be deleted, and another beside it');
      return holds(afterDeletion === 0, afterDeletion === 0 ? 'nothing' : `${afterDeletion} came`, 'nothing');
    }),
    everyDelivery(
      '§6',
      `Signature: every delivery carries ${signatureHeader}`,
      ({ headers }) => (headers.get(signatureHeader) ?? '') !== '',
      `the header ${signatureHeader}`,
    ),
    everyDelivery(
      '§6',
      'Signature: hexadecimal HMAC-SHA256 of the raw body, keyed with the secret',
      (delivery, seen) => isSignedOrBare(delivery, seen),
      'the HMAC, in 64 hex digits',
    ),
    everyDelivery(
      '§6',
      'Signature: a delivery is signed, and does not carry the API key',
      ({ headers }, { apiKey }) =>
        !headers.has('authorization') && [...headers.values()].every((value) => !value.includes(apiKey)),
      'no Authorization, and the key nowhere',
    ),
    delivered('§6', 'POST /v1/events is a separate input, not delivered as webhook events', (seen) => {
      if (!seen.wereEventsTracked) return notChecked('events that may be tracked, and are taken (events)');
      if (seen.received.length + seen.tracked.length === 0) return notChecked('a delivery that arrives');
      const { length } = seen.tracked;
      return holds(length === 0, length === 0 ? 'none was delivered' : `${length} were delivered`, 'none');
    }),
    delivered('§8', 'a delivery answered with any 2xx is not retried', (seen) => {
      if (seen.received.length === 0) return notChecked('a delivery that arrives');
      const repeated = Object.keys(receivers).filter(
        (receiver) => receiver !== 'failing' && hasRepetition(at(seen, receiver)),
      );
      return holds(
        repeated.length === 0,
        repeated.length === 0 ? 'none came twice' : 'some came twice',
        'each once',
      );
    }),
    delivered('§8', 'a failed delivery is retried twice, and no more', (seen) => {
      if (!seen.waitedForRetries) return notChecked('time to wait for the retries (deliveries.retryWait)');
      const attempts = at(seen, 'failing').length;
      if (attempts === 0) return notChecked('a delivery that arrives');
      return holds(
        attempts === deliveryRetries + 1,
        `${attempts} attempts`,
        `${deliveryRetries + 1} attempts`,
      );
    }),
  ],
  silences: [
    silence('§6', 'The data of contact.opted_in and contact.opted_out', (seen) => {
      const shapes = ['opted-in', 'opted-out'].map((receiver) => at(seen, receiver).map(dataOf)[0]);
      return shapes.map((data) => (data === undefined ? nothing : shapeOf(data))).join('; ');
    }),
    silence('§6', "The case of the signature's digits", (seen) => {
      const digits = seen.received.map(({ headers }) => headers.get(signatureHeader) ?? '').join('');
      return /[A-F]/.test(digits) ? 'upper case' : /[a-f]/.test(digits) ? 'lower case' : 'no hex digits';
    }),
    silence('§6', 'Whether each subscription has a secret of its own', (seen) => {
      const secrets = Object.values(seen.subscriptions).map((created) => secretIn(created));
      return new Set(secrets).size === secrets.length ? 'it has' : 'some share one';
    }),
    silence('§8', 'The intervals between retries', (seen) => {
      const times = at(seen, 'failing').map(({ at: time }) => time);
      const gaps = times
        .slice(1)
        .map((time, index) => `${((time - (times[index] ?? time)) / 1000).toFixed(1)} s`);
      return gaps.join(', then ') || 'none was seen';
    }),
    silence('§8', 'The body of a retried delivery', (seen) => {
      const bodies = at(seen, 'failing').map(({ body }) => textOf(body));
      if (bodies.length < 2) return 'none was seen';
      return new Set(bodies).size === 1 ? 'byte for byte the first one' : 'another one';
    }),
  ],
});

function silence(
  section: string,
  statement: string,
  see: (seen: ObservedDeliveries) => string,
): Silence<Seen> {
  return { section, statement, see: (seen) => ('kind' in seen ? seen : see(seen)) };
}

/** Whether a delivery came to a receiver that is subscribed to something else, and has got that. */
function isUnasked(seen: ObservedDeliveries, { receiver, ...delivery }: ReceivedDelivery): boolean {
  const wanted: readonly string[] = receivers[receiver]?.events ?? [];
  const hasGotIt = at(seen, receiver).some((other) => wanted.includes(String(eventOf(other))));
  const event = eventOf({ receiver, ...delivery });
  return hasGotIt && typeof event === 'string' && !wanted.includes(event);
}

/** The workspace is one and the same in all deliveries. */
function isEnvelope(body: unknown, { received }: ObservedDeliveries): boolean {
  // What is no object at all is not an envelope's fault.
  if (!isObject(body)) return true;
  const [first] = received.map(bodyOf).filter(isObject);
  const { event, workspaceId, timestamp, data } = body;
  return (
    typeof event === 'string' &&
    typeof workspaceId === 'string' &&
    workspaceId !== '' &&
    workspaceId === first?.workspaceId &&
    typeof timestamp === 'string' &&
    isObject(data)
  );
}

const isTimeOrNoText = (value: unknown) =>
  typeof value !== 'string' || (utcWithMilliseconds.test(value) && !Number.isNaN(Date.parse(value)));

/** The fields of a message's data that are not as §6 shows them. */
function wrongFields(data: Readonly<Record<string, unknown>>, sender: unknown): readonly string[] {
  return Object.keys(deliveryDataFields['message.received']).filter((name) => {
    const value = data[name];
    if (typeof value !== 'string') return true;
    if (name === 'receivedAt') return !isTimeOrNoText(value);
    if (name !== 'phone') return value === '' && name !== 'body';
    return !validate(phoneSchema, value).valid || (sender !== undefined && sender !== value);
  });
}

/** Whether the signature is right; where there is none, that is judged elsewhere. */
function isSignedOrBare(
  { headers, body, receiver }: ReceivedDelivery,
  { subscriptions }: ObservedDeliveries,
): boolean {
  const signature = headers.get(signatureHeader) ?? '';
  const secret = secretIn(subscriptions[receiver]);
  if (signature === '' || secret === undefined) return true;
  // A secret that was shown without its prefix is judged elsewhere; the whole of it may be the key all the same.
  const keys = secret.startsWith(secretPrefix) ? [secret] : [secret, `${secretPrefix}${secret}`];
  try {
    return verifyWebhook(body, signature, keys);
  } catch {
    return false; // No key at all can be made of such a secret.
  }
}

function secretIn(created: ObservedDeliveries['subscriptions'][string] | undefined): string | undefined {
  const secret = created !== undefined && isSuccess(created) ? fieldOf(created.json, 'secret') : undefined;
  return typeof secret === 'string' ? secret : undefined;
}

const textOf = (body: Uint8Array) => new TextDecoder().decode(body);

const hasRepetition = (received: readonly ReceivedDelivery[]) =>
  new Set(received.map(({ body }) => textOf(body))).size < received.length;
