import { deliveryRetries, signatureHeader } from '../../contract/delivery.js';
import { phoneSchema } from '../../contract/phone.js';
import { validate } from '../../contract/schema.js';
import { statements } from '../../contract/statements.js';
import { isObject } from '../../foundation/is-object.js';
import { verifyWebhook } from '../../webhooks/verification/verify.js';
import { aText, differences, ExpectedValue } from '../comparison.js';
import type { ConformanceRun } from '../conformance-run.js';
import { holds, type Judgement, judge, type Objection } from '../evidence.js';
import { fieldOf, shapeOf } from '../exchange/body.js';
import { type ExchangeOutcome, isSuccess, type NotChecked, needing } from '../exchange/outcome.js';
import { type ObservedDeliveries, observeDeliveries, receivers } from './delivery-scenario.js';
import type { ReceivedDelivery } from './listener.js';

const nothing = 'nothing was delivered';
const aDelivery = needing('a delivery that arrives');
const utcWithMilliseconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The shortest wait that counts as one, in milliseconds: an immediate retry takes as long as the network does. */
const shortestBackoff = 100;

const anObject = new ExpectedValue('an object', isObject);
const aPhone = new ExpectedValue('a phone number', (value) => validate(phoneSchema, value).valid);

/** Judges a statement by the deliveries, or says in words what the document does not show. Nothing: it needs a delivery that arrives. */
type Judge = (observed: ObservedDeliveries) => string | Judgement | readonly Judgement[];

/** §6 and §8: each statement and each subject that is not shown, and how it is judged by the deliveries that came. */
const judges: Readonly<Record<string, Judge>> = {
  [statements.subscriptionEnabled]: ({ subscriptions, deliveries }) =>
    [...new Set(deliveries.map(({ receiver }) => receiver))].map((receiver) =>
      judge(subscriptions[receiver] ?? aDelivery, { body: { enabled: true }, expected: 'enabled: true' }),
    ),
  [statements.messageReceived]: (observed) => {
    const { missing, hasOthers } = messagesOf(observed);
    const names = missing.map((text) => (/^\w+$/.test(text) ? text : 'with unusual characters')).join(', ');
    // If there are others, a missing message may have been changed.
    const isMissing = missing.length > 0 && !hasOthers;
    return [
      comes(observed, 'message.received', 'received', 'received-too'),
      holds([isMissing && `the message ${names} was not delivered`], '', 'a delivery of each message'),
    ];
  },
  [statements.optedIn]: (observed) => comes(observed, 'contact.opted_in', 'opted-in'),
  [statements.optedOut]: (observed) => comes(observed, 'contact.opted_out', 'opted-out'),
  [statements.deliveryRequest]: every(
    'POST, application/json, a JSON object',
    ({ method, headers, json }) => [
      method !== 'POST' && `the method ${method.slice(0, 10)}`,
      !/\bjson\b/i.test(headers.get('content-type') ?? '') && 'another content type',
      !isObject(json) && 'a body that is not a JSON object',
    ],
  ),
  [statements.deliveryOfSubscribed]: every('no event that is not subscribed to', ({ json, receiver }) => {
    const event = fieldOf(json, 'event');
    const wanted: readonly unknown[] = receivers.get(receiver)?.events ?? [];
    return [typeof event === 'string' && !wanted.includes(event) && 'another event came'];
  }),
  [statements.deliveryToEach]: (observed) => {
    const [one, two] = [at(observed, 'received'), at(observed, 'received-too')];
    if (one.length + two.length === 0) return [];
    const isInTwo = ({ key }: ReceivedDelivery) => two.some((other) => other.key === key);
    const isBoth = one.length > 0 && two.length > 0 && one.every(isInTwo);
    return holds([!isBoth && 'one of two got it'], 'both got it', 'both');
  },
  [statements.deliveryBody]: every('strings, and an object as data', ({ json }, { deliveries }) => {
    // Another statement says that the body is a JSON object.
    if (!isObject(json)) return [];
    const first = deliveries.map((delivery) => delivery.json).find(isObject);
    const fields = { event: aText, workspaceId: aText, timestamp: aText, data: anObject };
    const isOther = json.workspaceId !== first?.workspaceId;
    return [...differences(fields, json), isOther && 'workspaceId: not that of the other deliveries'];
  }),
  [statements.deliveryTimestamp]: (observed) =>
    observed.deliveries.map((delivery) =>
      judgeInstant(observed, delivery, fieldOf(delivery.json, 'timestamp')),
    ),
  [statements.messageData]: judgeMessages,
  [statements.deliveryEnds]: ({ afterDeletion }) =>
    afterDeletion === undefined
      ? needing('a subscription that can be deleted, and a second one')
      : holds([afterDeletion > 0 && `${afterDeletion} came`], 'nothing', 'nothing'),
  [statements.signatureHeader]: every(`the header ${signatureHeader}`, ({ headers }) => [
    !headers.get(signatureHeader) && 'none',
  ]),
  [statements.signature]: every('the HMAC, in 64 hex digits', (delivery, observed) => [
    !isSigned(delivery, observed) && 'another signature',
  ]),
  [statements.signatureInsteadOfKey]: every(
    'no Authorization, and the key nowhere',
    ({ headers }, { run }) => [
      (headers.has('authorization') ||
        [...headers.values()].some((value) => value.includes(run.settings.apiKey))) &&
        'the key, or Authorization',
    ],
  ),
  [statements.trackedNotDelivered]: ({ notTracked, deliveries, tracked: { length } }) =>
    notTracked ??
    (deliveries.length + length === 0
      ? []
      : holds([length > 0 && `${length} were delivered`], 'none was delivered', 'none')),
  [statements.deliveryAcknowledged]: judgeAcknowledged,
  [statements.deliveryRetries]: (observed) =>
    [...receivers.keys()]
      .filter((name) => /^fails-(redirect-)?\d/.test(name))
      .map((name) => judgeCount(observed, name, deliveryRetries + 1)),
  [statements.retryThatSucceeds]: (observed) => judgeCount(observed, 'recovers', 2),
  [statements.retryBackoff]: (observed) => {
    const waits = waitsOf(observed);
    if (waits.length === 0) return needed(observed, 'fails-503') ?? needing('a retry of a failed delivery');
    const seen = describeWaits(waits);
    const isShort = waits.every((wait) => wait < shortestBackoff);
    return holds([isShort && seen], seen, `a wait of ${shortestBackoff / 1000} s or more before a retry`);
  },
  [statements.deliveryTimeout]: (observed) => judgeCount(observed, 'fails-late', deliveryRetries + 1),
  [statements.deliveryUnreachable]: (observed) => judgeCount(observed, 'fails-cut', deliveryRetries + 1),
  '§6 The data of contact.opted_in and contact.opted_out': (observed) => {
    const shapes = ['opted-in', 'opted-out'].map((receiver) => at(observed, receiver)[0]?.data);
    return shapes.map((data) => (data === undefined ? nothing : shapeOf(data))).join('; ');
  },
  "§6 The case of the signature's digits": ({ deliveries }) => {
    const digits = deliveries.map(({ headers }) => headers.get(signatureHeader) ?? '').join('');
    return /[A-F]/.test(digits) ? 'upper case' : /[a-f]/.test(digits) ? 'lower case' : 'no hex digits';
  },
  '§6 Whether each subscription has its own secret': ({ subscriptions }) => {
    const secrets = Object.values(subscriptions).filter(isSuccess).map(secretIn);
    return new Set(secrets).size === secrets.length ? 'it has' : 'some share one';
  },
  '§8 The intervals between retries': (observed) =>
    needed(observed, 'fails-503') ?? (describeWaits(waitsOf(observed)) || 'there was no retry'),
  '§8 The body of a retried delivery': (observed) => {
    const bodies = attempts(observed, 'fails-503').map(({ body }) => body.toString('hex'));
    if (bodies.length < 2) return needed(observed, 'fails-503') ?? 'there was no retry';
    return new Set(bodies).size === 1 ? 'the same bytes as the first' : 'another one';
  },
};

export async function checkDeliveries(run: ConformanceRun): Promise<void> {
  const observed = await observeDeliveries(run);
  for (const [statement, judgeIt] of Object.entries(judges)) {
    const judged = ['verdict' in observed ? observed : judgeIt(observed)].flat();
    for (const each of judged.length === 0 ? [aDelivery] : judged) {
      if (typeof each === 'string') run.notShown(statement, each);
      else run.saw(statement, each);
    }
  }
}

const at = ({ deliveries }: ObservedDeliveries, receiver: string) =>
  deliveries.filter((delivery) => delivery.receiver === receiver);

/** Judges each delivery by its problems. */
function every(
  expected: string,
  problemsOf: (delivery: ReceivedDelivery, observed: ObservedDeliveries) => readonly Objection[],
): Judge {
  return (observed) => {
    const { length } = observed.deliveries;
    const problems = observed.deliveries.map((delivery) => problemsOf(delivery, observed).filter(Boolean));
    const wrong = problems.filter((each) => each.length > 0);
    const found = [...new Set(wrong.flat())].join(', ');
    const seen = found !== '' && `in ${wrong.length} of ${length} deliveries: ${found}`;
    return length === 0 ? [] : holds([seen], `all ${length} deliveries`, expected);
  };
}

/** Whether a delivery of an event type arrived, under its name. Another statement says that a body has a name. */
function comes(observed: ObservedDeliveries, event: string, ...from: readonly string[]): Judgement {
  const received = from.flatMap((receiver) => at(observed, receiver));
  const names = received.map(({ json }) => fieldOf(json, 'event')).filter((name) => typeof name === 'string');
  const isOther = names.length > 0 && !names.includes(event);
  return holds(
    [received.length === 0 && nothing, isOther && 'it was delivered under another name'],
    'it was delivered',
    `a delivery of ${event}`,
  );
}

/** The same text, apart from case and punctuation if a person wrote it. */
function isText({ byHand }: ObservedDeliveries, text: string, body: unknown): boolean {
  const simple = (written: string) => written.toLowerCase().replace(/[^a-z]/g, '');
  return body === text || (byHand && typeof body === 'string' && simple(body) === simple(text));
}

/** The deliveries of messages, those with a text that was sent, and the texts that did not come. */
function messagesOf(observed: ObservedDeliveries) {
  const received = observed.deliveries.filter(({ receiver }) => receiver.startsWith('received'));
  const messages = received.filter(({ data }) => isObject(data));
  const withText = (text: string) =>
    messages.filter((message) => isText(observed, text, fieldOf(message.data, 'body')));
  const sent = [...observed.texts, 'Hello again', 'Hello once more'];
  const known = messages.filter((message) => sent.some((text) => withText(text).includes(message)));
  const missing = observed.texts.filter((text) => withText(text).length === 0);
  return { messages, known, missing, hasOthers: known.length < received.length };
}

function judgeMessages(observed: ObservedDeliveries): readonly Judgement[] {
  const { messages, known, missing, hasOthers } = messagesOf(observed);
  if (messages.length === 0) return [needing('a message that is delivered, with its data')];
  const { run, byHand } = observed;
  const fields = {
    conversationId: aText,
    messageId: aText,
    contactId: byHand ? aText : run.contact?.id,
    phone: byHand ? aPhone : run.contact?.phone,
    type: aText,
    body: new ExpectedValue('a string', (value) => typeof value === 'string'),
    receivedAt: aText,
  };
  // Another person may write at the same time, so a message counts only by a text that was sent.
  const some = known.length > 0 ? known : messages;
  const isSameField = (name: string, one: ReceivedDelivery, other: ReceivedDelivery) =>
    fieldOf(one.data, name) === fieldOf(other.data, name);
  const isIdOfOther = known.some((one) =>
    known.some((other) => isSameField('messageId', one, other) !== isSameField('body', one, other)),
  );
  const wrong = [
    ...some.flatMap((message) => differences(fields, message.data)),
    missing.length > 0 && hasOthers && 'body: another value',
    isIdOfOther && 'messageId: not one for each message',
  ];
  return [
    holds(wrong, 'all seven fields', 'the fields of §6, with the values of the message'),
    ...some.map((message) =>
      judgeInstant(observed, message, fieldOf(message.data, 'receivedAt'), 'receivedAt: '),
    ),
  ];
}

/** Judges a timestamp: its format, and that it is between the last message and the delivery. Another statement says that it is there. */
function judgeInstant(observed: ObservedDeliveries, delivery: ReceivedDelivery, text: unknown, name = '') {
  const { provokedAt, run } = observed;
  const expected = `${name}the time, as in 2026-01-31T12:00:00.000Z`;
  if (typeof text !== 'string') return holds([], 'it is', expected);
  if (!utcWithMilliseconds.test(text)) return holds([`${name}another format`], '', expected);
  const since = Math.max(...provokedAt.filter((time) => time <= delivery.at));
  const time = Date.parse(text);
  return run.judgeTime(time, Math.min(Math.max(time, since), delivery.at), expected);
}

/** The attempts to deliver the message whose retries are counted. The workspace may get others at the same time. */
function attempts(observed: ObservedDeliveries, receiver: string): readonly ReceivedDelivery[] {
  const [first, ...others] = at(observed, receiver);
  return first === undefined ? [] : [first, ...others.filter(({ key }) => key === first.key)];
}

/** What a receiver without deliveries needs. */
function needed(observed: ObservedDeliveries, receiver: string): NotChecked | undefined {
  if (at(observed, receiver).length > 0) return undefined;
  const made = observed.subscriptions[receiver];
  return made?.kind === 'not_requested' ? made : aDelivery;
}

/** Judges how often the message whose retries are counted came. */
function judgeCount(observed: ObservedDeliveries, receiver: string, wanted: number): Judgement {
  const count = attempts(observed, receiver).length;
  const responses = receivers.get(receiver)?.responses.join(', then ').replace('-', ' ');
  const seen = `${count} ${count === 1 ? 'attempt' : 'attempts'} in ${observed.retryWait / 1000} s`;
  const expected = `${wanted} attempts; with a longer backoff, allow more time (deliveries.retryWait)`;
  return (
    needed(observed, receiver) ??
    holds([count !== wanted && `${seen}; the response was ${responses}`], seen, expected)
  );
}

/** Whether each delivery that got a 2xx stays away while the others are retried. */
function judgeAcknowledged(observed: ObservedDeliveries): readonly Judgement[] {
  const accepting = [...receivers].filter(([, { responses }]) =>
    responses.every((response) => Number(response) < 300),
  );
  return accepting.map(([name, { responses }]) => {
    const keys = at(observed, name).map(({ key }) => key);
    const isRepeated = new Set(keys).size < keys.length;
    return (
      needed(observed, name) ??
      holds([isRepeated && `again after ${responses.join()}`], 'none came twice', 'each once')
    );
  });
}

/** The time before each retry, in milliseconds. */
const waitsOf = (observed: ObservedDeliveries) =>
  attempts(observed, 'fails-503')
    .map(({ at: time }, index, all) => time - (all[index - 1]?.at ?? time))
    .slice(1);

const describeWaits = (waits: readonly number[]) =>
  waits.map((wait) => `${(wait / 1000).toFixed(1)} s`).join(', then ');

/** Whether the signature is valid, if there is one. Another statement says that there is one. */
function isSigned({ headers, body, receiver }: ReceivedDelivery, { subscriptions }: ObservedDeliveries) {
  const signature = headers.get(signatureHeader) ?? '';
  const secret = secretIn(subscriptions[receiver]);
  if (signature === '' || secret === undefined) return true;
  try {
    return verifyWebhook(body, signature, secret);
  } catch {
    return false; // This secret is no key.
  }
}

function secretIn(created: ExchangeOutcome | undefined): string | undefined {
  const secret = created !== undefined && isSuccess(created) ? fieldOf(created.json, 'secret') : undefined;
  return typeof secret === 'string' ? secret : undefined;
}
