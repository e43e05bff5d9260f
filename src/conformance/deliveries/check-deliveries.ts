import { deliveryRetries, signatureHeader } from '../../contract/delivery.js';
import { phoneSchema } from '../../contract/phone.js';
import { validate } from '../../contract/schema.js';
import { type Statement, statements } from '../../contract/statements.js';
import { verifyWebhook } from '../../webhooks/verification/verify.js';
import { judgeTime } from '../checks/times.js';
import { aText, differences, Wanted } from '../comparison.js';
import type { ConformanceRun } from '../conformance-run.js';
import { holds, type Judgement, judge, notChecked } from '../evidence.js';
import { fieldOf, isObject, type JsonObject } from '../exchange/json.js';
import { isSuccess, type NotRequested, notRequested, type Outcome, shapeOf } from '../exchange/outcome.js';
import {
  bodyOf,
  dataOf,
  keyOf,
  type ObservedDeliveries,
  observeDeliveries,
  receivers,
} from './delivery-scenario.js';
import type { ReceivedDelivery } from './listener.js';

const aDelivery = 'a delivery that arrives';
const nothing = 'nothing was delivered';
const retriesNeeded = notRequested('time to wait for the retries', 'deliveries.retryWait');
const lateAnswerNeeded = notRequested('a receiver that answers too late', 'deliveries.lateAnswer');
const utcWithMilliseconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The shortest wait that counts as one, in milliseconds: an immediate retry takes as long as the network does. */
const shortestBackoff = 100;

const anObject = new Wanted('an object', isObject);
const aPhone = new Wanted('a phone number', (value) => validate(phoneSchema, value).valid);

/** Judges a statement by the deliveries: what is wrong with each, or what all of them show. */
type Judge = (observed: ObservedDeliveries, run: ConformanceRun) => Judgement | readonly Judgement[];

/** §6 and §8: each statement, and how it is judged by the deliveries that came. */
const judges: Readonly<Partial<Record<Statement, Judge>>> = {
  [statements.subscriptionEnabled]: ({ subscriptions, deliveries }) =>
    deliveries.length === 0
      ? notChecked(aDelivery)
      : [...new Set(deliveries.map(({ receiver }) => receiver))].map((receiver) =>
          judge(subscriptions[receiver] ?? notRequested(aDelivery), {
            body: { enabled: true },
            expected: 'enabled: true',
          }),
        ),
  [statements.messageReceived]: (observed) => {
    const { missing, hasOthers } = messagesOf(observed);
    const names = missing.map((text) => (/^\w+$/.test(text) ? text : 'with unusual characters')).join(', ');
    // If there are others, a missing message may have been changed.
    const wrong = missing.length === 0 || hasOthers ? [] : [`the message ${names} was not delivered`];
    return [
      comes(observed, 'message.received', 'received', 'received-too'),
      holds(wrong, '', 'a delivery of each message'),
    ];
  },
  [statements.optedIn]: (observed) => comes(observed, 'contact.opted_in', 'opted-in'),
  [statements.optedOut]: (observed) => comes(observed, 'contact.opted_out', 'opted-out'),
  [statements.deliveryRequest]: every('POST, application/json, a JSON object', (delivery) => [
    ...(delivery.method === 'POST' ? [] : [`the method ${delivery.method.slice(0, 10)}`]),
    ...(/\bjson\b/i.test(delivery.headers.get('content-type') ?? '') ? [] : ['another content type']),
    ...differences(anObject, bodyOf(delivery), 'body'),
  ]),
  [statements.deliveryOfSubscribed]: every('no event that is not subscribed to', (delivery) => {
    const event = fieldOf(bodyOf(delivery), 'event');
    const wanted: readonly unknown[] = receivers[delivery.receiver]?.events ?? [];
    return typeof event !== 'string' || wanted.includes(event) ? [] : ['another event came'];
  }),
  [statements.deliveryToEach]: (observed) => {
    const [one, two] = [at(observed, 'received').map(keyOf), at(observed, 'received-too').map(keyOf)];
    if (one.length + two.length === 0) return notChecked(aDelivery);
    const isBoth = one.length > 0 && two.length > 0 && one.every((key) => two.includes(key));
    return holds(isBoth, isBoth ? 'both got it' : 'one of two got it', 'both');
  },
  [statements.deliveryBody]: every('strings, and an object as data', (delivery, { deliveries }) => {
    const first = deliveries.map(bodyOf).find(isObject);
    const ofAll = new Wanted('that of the other deliveries', (value) => value === first?.workspaceId);
    const fields = { event: aText, workspaceId: aText, timestamp: aText, data: anObject };
    const body = bodyOf(delivery);
    // Another statement says that the body is a JSON object.
    return isObject(body) ? [...differences(fields, body), ...differences({ workspaceId: ofAll }, body)] : [];
  }),
  [statements.deliveryTimestamp]: (observed, run) =>
    observed.deliveries.length === 0
      ? notChecked(aDelivery)
      : observed.deliveries.map((delivery) =>
          judgeInstant(observed, run, delivery, fieldOf(bodyOf(delivery), 'timestamp')),
        ),
  [statements.messageData]: judgeMessages,
  [statements.deliveryEnds]: ({ afterDeletion }) =>
    afterDeletion === undefined
      ? notChecked('a subscription that can be deleted, and a second one')
      : holds(afterDeletion === 0, afterDeletion === 0 ? 'nothing' : `${afterDeletion} came`, 'nothing'),
  [statements.signatureHeader]: every(`the header ${signatureHeader}`, ({ headers }) =>
    headers.get(signatureHeader) ? [] : ['none'],
  ),
  [statements.signature]: every('the HMAC, in 64 hex digits', (delivery, observed) =>
    isSignedOrBare(delivery, observed) ? [] : ['another signature'],
  ),
  [statements.signatureInsteadOfKey]: every(
    'no Authorization, and the key nowhere',
    ({ headers }, _, { settings }) =>
      headers.has('authorization') || [...headers.values()].some((value) => value.includes(settings.apiKey))
        ? ['the key, or Authorization']
        : [],
  ),
  [statements.trackedNotDelivered]: ({ notTracked, deliveries, tracked: { length } }) =>
    notTracked !== undefined || deliveries.length + length === 0
      ? notChecked(notTracked ?? aDelivery)
      : holds(length === 0, length === 0 ? 'none was delivered' : `${length} were delivered`, 'none'),
  [statements.deliveryAcknowledged]: judgeAcknowledged,
  [statements.deliveryRetries]: (observed) =>
    Object.keys(receivers)
      .filter((name) => /^fails-(redirect-)?\d/.test(name))
      .map((name) => judgeAttempts(observed, name, deliveryRetries + 1)),
  [statements.retryThatSucceeds]: (observed) => judgeAttempts(observed, 'recovers', 2),
  [statements.retryBackoff]: (observed) => {
    if (observed.retryWait === 0) return notChecked(retriesNeeded);
    const waits = waitsOf(observed);
    if (waits.length === 0) return notChecked('a retry of a failed delivery');
    const hasWait = waits.some((wait) => wait >= shortestBackoff);
    return holds(
      hasWait,
      describeWaits(waits),
      `a wait of ${shortestBackoff / 1000} s or more before a retry`,
    );
  },
  [statements.deliveryTimeout]: (observed) => judgeAttempts(observed, 'fails-late', deliveryRetries + 1),
  [statements.deliveryUnreachable]: (observed) => judgeAttempts(observed, 'fails-cut', deliveryRetries + 1),
};

type See = (observed: ObservedDeliveries) => string | NotRequested;

const silences: Readonly<Record<string, See>> = {
  '§6 The data of contact.opted_in and contact.opted_out': (observed) => {
    const shapes = ['opted-in', 'opted-out'].map((receiver) => at(observed, receiver).map(dataOf)[0]);
    return shapes.map((data) => (data === undefined ? nothing : shapeOf(data))).join('; ');
  },
  "§6 The case of the signature's digits": ({ deliveries }) => {
    const digits = deliveries.map(({ headers }) => headers.get(signatureHeader) ?? '').join('');
    return /[A-F]/.test(digits) ? 'upper case' : /[a-f]/.test(digits) ? 'lower case' : 'no hex digits';
  },
  '§6 Whether each subscription has its own secret': ({ subscriptions }) => {
    const secrets = Object.values(subscriptions).map(secretIn);
    return new Set(secrets).size === secrets.length ? 'it has' : 'some share one';
  },
  '§8 The intervals between retries': (observed) =>
    observed.retryWait === 0 ? retriesNeeded : describeWaits(waitsOf(observed)) || 'there was no retry',
  '§8 The body of a retried delivery': (observed) => {
    if (observed.retryWait === 0) return retriesNeeded;
    const bodies = attempts(observed, 'fails-503').map(({ body }) => new TextDecoder().decode(body));
    if (bodies.length < 2) return 'there was no retry';
    return new Set(bodies).size === 1 ? 'the same bytes as the first' : 'another one';
  },
};

export async function checkDeliveries(run: ConformanceRun): Promise<void> {
  const observed = await observeDeliveries(run);
  for (const statement of Object.values(statements)) {
    const judgeIt = judges[statement];
    if (judgeIt)
      run.saw(statement, ...[isMissing(observed) ? notChecked(observed) : judgeIt(observed, run)].flat());
  }
  for (const [subject, see] of Object.entries(silences))
    run.notShown(subject, isMissing(observed) ? observed : see(observed));
}

const isMissing = (observed: ObservedDeliveries | NotRequested): observed is NotRequested =>
  'kind' in observed;

const at = ({ deliveries }: ObservedDeliveries, receiver: string) =>
  deliveries.filter((delivery) => delivery.receiver === receiver);

/** Judges each delivery by its problems. */
function every(
  expected: string,
  problemsOf: (
    delivery: ReceivedDelivery,
    observed: ObservedDeliveries,
    run: ConformanceRun,
  ) => readonly string[],
): Judge {
  return (observed, run) => {
    const { length } = observed.deliveries;
    if (length === 0) return notChecked(aDelivery);
    const problems = observed.deliveries.map((delivery) => problemsOf(delivery, observed, run));
    const wrong = problems.filter((each) => each.length > 0);
    const found = [...new Set(wrong.flat())].join(', ');
    const seen = found ? `in ${wrong.length} of ${length} deliveries: ${found}` : `all ${length} deliveries`;
    return holds(wrong.length === 0, seen, expected);
  };
}

/** Whether a delivery of an event type arrived, under its name. Another statement says that a body has a name. */
function comes(observed: ObservedDeliveries, event: string, ...from: readonly string[]): Judgement {
  const received = from.flatMap((receiver) => at(observed, receiver));
  if (received.length === 0) return holds(false, nothing, `a delivery of ${event}`);
  const names = received
    .map((delivery) => fieldOf(bodyOf(delivery), 'event'))
    .filter((name) => typeof name === 'string');
  const isNamed = names.length === 0 || names.includes(event);
  return holds(
    isNamed,
    isNamed ? 'it was delivered' : 'it was delivered under another name',
    `a delivery of ${event}`,
  );
}

const isOfMessages = ({ receiver }: ReceivedDelivery) => receiver.startsWith('received');

/** The same text, apart from case and punctuation if a person wrote it. */
function isText({ byHand }: ObservedDeliveries, text: string, body: unknown): boolean {
  const simple = (written: string) => written.toLowerCase().replace(/[^a-z]/g, '');
  return body === text || (byHand && typeof body === 'string' && simple(body) === simple(text));
}

/** The messages with a text that was sent, and those with any other. */
function messagesOf(observed: ObservedDeliveries) {
  const messages = observed.deliveries
    .filter(isOfMessages)
    .map((delivery) => ({ delivery, data: dataOf(delivery) }))
    .filter((message): message is { delivery: ReceivedDelivery; data: JsonObject } => isObject(message.data));
  const sent = [...observed.texts, 'Hello again', 'Hello once more'];
  const known = messages.filter(({ data }) => sent.some((text) => isText(observed, text, data.body)));
  const missing = observed.texts.filter(
    (text) => !known.some(({ data }) => isText(observed, text, data.body)),
  );
  return {
    messages,
    known,
    missing,
    hasOthers: known.length < observed.deliveries.filter(isOfMessages).length,
  };
}

function judgeMessages(observed: ObservedDeliveries, run: ConformanceRun): readonly Judgement[] {
  const { messages, known, missing, hasOthers } = messagesOf(observed);
  if (messages.length === 0) return [notChecked('a message that is delivered, with its data')];
  const { contact, byHand } = observed;
  const fields = {
    conversationId: aText,
    messageId: aText,
    contactId: byHand ? aText : contact.id,
    phone: byHand ? aPhone : contact.phone,
    type: aText,
    body: new Wanted('a string', (value) => typeof value === 'string'),
    receivedAt: aText,
  };
  // Another person may write at the same time, so a message counts only by a text that was sent.
  const some = known.length > 0 ? known : messages;
  const wrong = [
    ...some.flatMap(({ data }) => differences(fields, data)),
    ...(missing.length > 0 && hasOthers ? ['body: another value'] : []),
    ...(known.some(({ data }) =>
      known.some((other) => (other.data.messageId === data.messageId) !== (other.data.body === data.body)),
    )
      ? ['messageId: not one for each message']
      : []),
  ];
  return [
    holds(wrong, 'all seven fields', 'the fields of §6, with the values of the message'),
    ...some.map(({ delivery, data }) =>
      judgeInstant(observed, run, delivery, data.receivedAt, 'receivedAt: '),
    ),
  ];
}

/** Judges a timestamp: its format, and that it is between the last message and the delivery. Another statement says that it is there. */
function judgeInstant(
  { provokedAt }: ObservedDeliveries,
  run: ConformanceRun,
  delivery: ReceivedDelivery,
  text: unknown,
  name = '',
): Judgement {
  const expected = `${name}the time, as in 2026-01-31T12:00:00.000Z`;
  if (typeof text !== 'string') return holds(true, 'it is', expected);
  if (!utcWithMilliseconds.test(text)) return holds([`${name}another format`], '', expected);
  const since = Math.max(...provokedAt.filter((time) => time <= delivery.at));
  const time = Date.parse(text);
  return judgeTime(run, time, Math.min(Math.max(time, since), delivery.at), expected);
}

/** The attempts to deliver the message whose retries are counted. The workspace may get others at the same time. */
function attempts(observed: ObservedDeliveries, receiver: string): readonly ReceivedDelivery[] {
  const all = at(observed, receiver);
  const [first] = all;
  return first === undefined ? [] : all.filter((delivery) => keyOf(delivery) === keyOf(first));
}

function judgeAttempts(observed: ObservedDeliveries, name: string, wanted: number): Judgement {
  const { retryWait, subscriptions } = observed;
  if (retryWait === 0) return notChecked(retriesNeeded);
  if (subscriptions[name] === undefined) return notChecked(lateAnswerNeeded);
  const count = attempts(observed, name).length;
  if (count === 0) return notChecked(aDelivery);
  const answers = receivers[name]?.answers.join(', then ').replace('-', ' ');
  const seen = `${count} ${count === 1 ? 'attempt' : 'attempts'} in ${retryWait / 1000} s`;
  const expected = `${wanted} attempts; with a longer backoff, allow more time (deliveries.retryWait)`;
  return holds(count === wanted, count === wanted ? seen : `${seen}; the answer was ${answers}`, expected);
}

/** Whether each delivery that got a 2xx stays away while the others are retried. */
function judgeAcknowledged(observed: ObservedDeliveries): readonly Judgement[] {
  const names = Object.keys(receivers).filter((name) =>
    receivers[name]?.answers.every((answer) => Number(answer) < 300),
  );
  const keys = names.map((name) => at(observed, name).map(keyOf));
  const repeated = names.filter((_, index) => new Set(keys[index]).size < (keys[index]?.length ?? 0));
  const again = repeated.map((name) => `again after ${receivers[name]?.answers.join()}`);
  if (again.length > 0) return [holds(again, '', 'each once')];
  if (observed.retryWait === 0)
    return [notChecked(observed.deliveries.length === 0 ? aDelivery : retriesNeeded)];
  return keys.map(({ length }) =>
    length === 0 ? notChecked(aDelivery) : holds(true, 'none came twice', 'each once'),
  );
}

/** The time before each retry, in milliseconds. */
const waitsOf = (observed: ObservedDeliveries) =>
  attempts(observed, 'fails-503')
    .map(({ at: time }, index, all) => time - (all[index - 1]?.at ?? time))
    .slice(1);

const describeWaits = (waits: readonly number[]) =>
  waits.map((wait) => `${(wait / 1000).toFixed(1)} s`).join(', then ');

/** Whether the signature is valid. Another statement says that there is one. */
function isSignedOrBare(
  { headers, body, receiver }: ReceivedDelivery,
  { subscriptions }: ObservedDeliveries,
): boolean {
  const signature = headers.get(signatureHeader) ?? '';
  const secret = secretIn(subscriptions[receiver]);
  if (signature === '' || secret === undefined) return true;
  try {
    return verifyWebhook(body, signature, secret);
  } catch {
    return false; // This secret is no key.
  }
}

function secretIn(created: Outcome | undefined): string | undefined {
  const secret = created !== undefined && isSuccess(created) ? fieldOf(created.json, 'secret') : undefined;
  return typeof secret === 'string' ? secret : undefined;
}
