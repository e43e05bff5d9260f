import { deliveryRetries, signatureHeader } from '../../contract/delivery.js';
import { secretPrefix } from '../../contract/secret-prefix.js';
import { type Statement, statements } from '../../contract/statements.js';
import { verifyWebhook } from '../../webhooks/verification/verify.js';
import { type Check, checkGroup, type Silence } from '../check-group.js';
import {
  bodyOf,
  dataOf,
  type ObservedDeliveries,
  observeDeliveries,
  receivers,
} from '../deliveries/delivery-scenario.js';
import type { ReceivedDelivery } from '../deliveries/listener.js';
import { hasOtherText, isTimestamp, messagesIn, missingTexts, wrongFields } from '../deliveries/messages.js';
import { fieldOf, isObject } from '../exchange/json.js';
import { isSuccess, type NotRequested, notRequested, shapeOf } from '../exchange/outcome.js';
import { broken, holds, type Judgement, notChecked } from '../judgement.js';

/** A check of the deliveries. Its verdict is `not_checked` if no delivery could be provoked. */
function delivered(
  statement: Statement,
  judge: (observed: ObservedDeliveries) => Judgement,
): Check<Observed> {
  return {
    statement,
    judge: (observed) => ('kind' in observed ? notChecked(observed) : judge(observed)),
  };
}

/** A check that each delivery must pass. */
function everyDelivery(
  statement: Statement,
  isSo: (delivery: ReceivedDelivery, observed: ObservedDeliveries) => boolean,
  expected: string,
): Check<Observed> {
  return delivered(statement, (observed) => {
    if (observed.deliveries.length === 0) return notChecked(aDelivery);
    const wrong = observed.deliveries.filter((delivery) => !isSo(delivery, observed));
    const { length } = observed.deliveries;
    if (wrong.length === 0)
      return holds(true, length === 1 ? 'the one delivery' : `all ${length} deliveries`, '');
    return broken(`wrong in ${wrong.length} of ${length} deliveries`, expected);
  });
}

type Observed = ObservedDeliveries | NotRequested;

const aDelivery = 'a delivery that arrives';
const at = ({ deliveries }: ObservedDeliveries, receiver: string) =>
  deliveries.filter((delivery) => delivery.receiver === receiver);
const eventOf = (delivery: ReceivedDelivery) => fieldOf(bodyOf(delivery), 'event');
const nothing = 'nothing was delivered';

/** Whether a delivery of an event type arrived, under its name. Another check judges a body without a name. */
function comes(observed: ObservedDeliveries, event: string, ...from: readonly string[]): Judgement {
  const received = from.flatMap((receiver) => at(observed, receiver));
  if (received.length === 0) return broken(nothing, `a delivery of ${event}`);
  const names = received.map(eventOf).filter((name) => typeof name === 'string');
  if (names.length === 0 || names.includes(event)) return holds(true, 'it was delivered', '');
  return broken('it was delivered under another name', `a delivery of ${event}`);
}

/** Whether every message is delivered. If a delivery has another text, the check of `data` judges it. */
function everyTextComes(observed: ObservedDeliveries, judgement: Judgement): Judgement {
  const missing = missingTexts(observed);
  if (judgement.verdict !== 'held' || missing.length === 0 || hasOtherText(observed)) return judgement;
  return broken(`the message ${missing.join(', ')} was not delivered`, 'a delivery of each message');
}

const retriesNeeded = notRequested('time to wait for the retries', 'deliveries.retryWait');

/** The shortest wait that counts as one, in milliseconds: an immediate retry takes as long as the network does. */
const shortestBackoff = 100;

/** The attempts to deliver the message that fails. The workspace may get other messages at the same time, with other ids. */
function attempts(observed: ObservedDeliveries): readonly ReceivedDelivery[] {
  const all = at(observed, 'failing');
  const idOf = (delivery: ReceivedDelivery) => fieldOf(dataOf(delivery), 'messageId');
  return all.filter((delivery) => all[0] !== undefined && idOf(delivery) === idOf(all[0]));
}

/** The time before each retry, in milliseconds. */
const waitsBetween = (deliveries: readonly ReceivedDelivery[]) =>
  deliveries.slice(1).map(({ at: time }, index) => time - (deliveries[index]?.at ?? time));

const describeWaits = (waits: readonly number[]) =>
  waits.map((wait) => `${(wait / 1000).toFixed(1)} s`).join(', then ');

export const deliveries = checkGroup<Observed>({
  observe: observeDeliveries,
  checks: [
    delivered(statements.subscriptionEnabled, (observed) => {
      const to = Object.entries(observed.subscriptions).filter(
        ([receiver]) => at(observed, receiver).length > 0,
      );
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
    delivered(statements.messageReceived, (observed) =>
      everyTextComes(observed, comes(observed, 'message.received', 'received', 'received-too')),
    ),
    delivered(statements.optedIn, (observed) => comes(observed, 'contact.opted_in', 'opted-in')),
    delivered(statements.optedOut, (observed) => comes(observed, 'contact.opted_out', 'opted-out')),
    everyDelivery(
      statements.deliveryRequest,
      (delivery) =>
        delivery.method === 'POST' &&
        /\bjson\b/i.test(delivery.headers.get('content-type') ?? '') &&
        isObject(bodyOf(delivery)),
      'POST, application/json, a JSON object',
    ),
    delivered(statements.deliveryOfSubscribed, (observed) => {
      if (observed.deliveries.length === 0) return notChecked(aDelivery);
      const wrong = observed.deliveries.filter((delivery) => isUnasked(observed, delivery));
      return holds(
        wrong.length === 0,
        wrong.length === 0 ? 'no other came' : `${wrong.length} others came`,
        'no other',
      );
    }),
    delivered(statements.deliveryToEach, (observed) => {
      const [one, two] = [at(observed, 'received').length, at(observed, 'received-too').length];
      if (one + two === 0) return notChecked(aDelivery);
      return holds(one > 0 && two > 0, one > 0 && two > 0 ? 'both got it' : 'one of two got it', 'both');
    }),
    everyDelivery(
      statements.deliveryBody,
      (delivery, observed) => isEnvelope(bodyOf(delivery), observed),
      'strings, and an object as data',
    ),
    everyDelivery(
      statements.deliveryTimestamp,
      (delivery, observed) => {
        const timestamp = fieldOf(bodyOf(delivery), 'timestamp');
        // Whether it is a string is judged with the other fields.
        return typeof timestamp !== 'string' || isTimestamp(timestamp, observed);
      },
      'a time of this run, as in 2026-01-31T12:00:00.000Z',
    ),
    delivered(statements.messageData, (observed) => {
      if (messagesIn(observed).length === 0) return notChecked('a message that is delivered, with its data');
      const wrong = wrongFields(observed);
      return holds(
        wrong.length === 0,
        wrong.length === 0 ? 'all seven fields' : `wrong: ${wrong.join(', ')}`,
        'the fields of §6, with the values of the message',
      );
    }),
    delivered(statements.deliveryEnds, ({ afterDeletion }) => {
      if (afterDeletion === undefined)
        return notChecked('a subscription that can be deleted, and a second one');
      return holds(afterDeletion === 0, afterDeletion === 0 ? 'nothing' : `${afterDeletion} came`, 'nothing');
    }),
    everyDelivery(
      statements.signatureHeader,
      ({ headers }) => (headers.get(signatureHeader) ?? '') !== '',
      `the header ${signatureHeader}`,
    ),
    everyDelivery(
      statements.signature,
      (delivery, observed) => isSignedOrBare(delivery, observed),
      'the HMAC, in 64 hex digits',
    ),
    everyDelivery(
      statements.signatureInsteadOfKey,
      ({ headers }, { apiKey }) =>
        !headers.has('authorization') && [...headers.values()].every((value) => !value.includes(apiKey)),
      'no Authorization, and the key nowhere',
    ),
    delivered(statements.trackedNotDelivered, (observed) => {
      if (observed.notTracked !== undefined) return notChecked(observed.notTracked);
      if (observed.deliveries.length + observed.tracked.length === 0) return notChecked(aDelivery);
      const { length } = observed.tracked;
      return holds(length === 0, length === 0 ? 'none was delivered' : `${length} were delivered`, 'none');
    }),
    delivered(statements.deliveryAcknowledged, (observed) => {
      if (observed.deliveries.length === 0) return notChecked(aDelivery);
      const repeated = Object.keys(receivers).filter(
        (receiver) => receiver !== 'failing' && hasRepetition(at(observed, receiver)),
      );
      return holds(
        repeated.length === 0,
        repeated.length === 0 ? 'none came twice' : 'some came twice',
        'each once',
      );
    }),
    delivered(statements.deliveryRetries, (observed) => {
      if (observed.retryWait === 0) return notChecked(retriesNeeded);
      const count = attempts(observed).length;
      if (count === 0) return notChecked(aDelivery);
      const expected = `${deliveryRetries + 1} attempts; with a longer backoff, allow more time (deliveries.retryWait)`;
      const seen = `${count} ${count === 1 ? 'attempt' : 'attempts'} in ${observed.retryWait / 1000} s`;
      return holds(count === deliveryRetries + 1, seen, expected);
    }),
    delivered(statements.retryBackoff, (observed) => {
      if (observed.retryWait === 0) return notChecked(retriesNeeded);
      const waits = waitsBetween(attempts(observed));
      if (waits.length === 0) return notChecked('a retry of a failed delivery');
      return holds(
        waits.some((wait) => wait >= shortestBackoff),
        describeWaits(waits),
        `a wait of ${shortestBackoff / 1000} s or more before a retry`,
      );
    }),
  ],
  silences: [
    silence('§6 The data of contact.opted_in and contact.opted_out', (observed) => {
      const shapes = ['opted-in', 'opted-out'].map((receiver) => at(observed, receiver).map(dataOf)[0]);
      return shapes.map((data) => (data === undefined ? nothing : shapeOf(data))).join('; ');
    }),
    silence("§6 The case of the signature's digits", (observed) => {
      const digits = observed.deliveries.map(({ headers }) => headers.get(signatureHeader) ?? '').join('');
      return /[A-F]/.test(digits) ? 'upper case' : /[a-f]/.test(digits) ? 'lower case' : 'no hex digits';
    }),
    silence('§6 Whether each subscription has its own secret', (observed) => {
      const secrets = Object.values(observed.subscriptions).map((created) => secretIn(created));
      return new Set(secrets).size === secrets.length ? 'it has' : 'some share one';
    }),
    silence('§8 The intervals between retries', (observed) =>
      observed.retryWait === 0
        ? retriesNeeded
        : describeWaits(waitsBetween(attempts(observed))) || 'there was no retry',
    ),
    silence('§8 The body of a retried delivery', (observed) => {
      if (observed.retryWait === 0) return retriesNeeded;
      const bodies = attempts(observed).map(({ body }) => textOf(body));
      if (bodies.length < 2) return 'there was no retry';
      return new Set(bodies).size === 1 ? 'the same bytes as the first' : 'another one';
    }),
  ],
});

function silence(
  statement: string,
  see: (observed: ObservedDeliveries) => string | NotRequested,
): Silence<Observed> {
  return { statement, see: (observed) => ('kind' in observed ? observed : see(observed)) };
}

/** Whether a delivery has an event that its receiver is not subscribed to. Another check judges an unknown name. */
function isUnasked(observed: ObservedDeliveries, { receiver, ...delivery }: ReceivedDelivery): boolean {
  const wanted: readonly string[] = receivers[receiver]?.events ?? [];
  const hasGotIt = at(observed, receiver).some((other) => wanted.includes(String(eventOf(other))));
  const event = eventOf({ receiver, ...delivery });
  return hasGotIt && typeof event === 'string' && !wanted.includes(event);
}

/** Whether a body has the four fields, and the same workspace as all other deliveries. */
function isEnvelope(body: unknown, { deliveries: all }: ObservedDeliveries): boolean {
  // Another check judges whether the body is a JSON object.
  if (!isObject(body)) return true;
  const [first] = all.map(bodyOf).filter(isObject);
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

/** Whether the signature is valid. Another check judges a delivery without one. */
function isSignedOrBare(
  { headers, body, receiver }: ReceivedDelivery,
  { subscriptions }: ObservedDeliveries,
): boolean {
  const signature = headers.get(signatureHeader) ?? '';
  const secret = secretIn(subscriptions[receiver]);
  if (signature === '' || secret === undefined) return true;
  // Another check judges a secret without its prefix. The key may still be the secret with the prefix.
  const keys = secret.startsWith(secretPrefix) ? [secret] : [secret, `${secretPrefix}${secret}`];
  try {
    return verifyWebhook(body, signature, keys);
  } catch {
    return false; // This secret is no key.
  }
}

function secretIn(created: ObservedDeliveries['subscriptions'][string] | undefined): string | undefined {
  const secret = created !== undefined && isSuccess(created) ? fieldOf(created.json, 'secret') : undefined;
  return typeof secret === 'string' ? secret : undefined;
}

const textOf = (body: Uint8Array) => new TextDecoder().decode(body);

const hasRepetition = (received: readonly ReceivedDelivery[]) =>
  new Set(received.map(({ body }) => textOf(body))).size < received.length;
