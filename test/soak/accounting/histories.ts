import type { WorkspaceSnapshot } from 'messaging-automation/server';
import type { Call, Deed, Outcome } from '../calls.js';
import { signatureOf } from './course.js';
import type { Attempt, Delivery, Evidence } from './evidence.js';

// A history in which everything adds up, until a test changes something.

export const secret = 'whsec_soak';
export const url = 'http://127.0.0.1:9/r1/t1';
export const start = Date.parse('2026-01-01T09:00:00Z');

const emptyWorkspace: WorkspaceSnapshot = {
  version: 1,
  takenAt: '2026-01-01T09:00:00.000Z',
  workspace: {
    id: 'workspace_1',
    quota: 10,
    addOnCredits: 5,
    templates: [],
    segments: [{ id: 'regulars', event: 'order_placed', atLeast: 1 }],
    journeys: [{ id: 'thanks', event: 'order_placed', steps: [] }],
  },
  contacts: [],
  events: [],
  waitingEventIds: [],
  journeyRuns: [],
  sends: [],
  subscriptions: [],
  deliveries: [],
};

/** A call, by default a success that took from one number to the next. */
export function call<D extends Deed>(
  deed: D,
  from: number,
  outcome: Outcome = 'success',
  to = from + 1,
): Call {
  return { ...deed, from, to, outcome };
}

export function attempt(number: number, startedAt: number, rest: Partial<Attempt> = {}): Attempt {
  return { number, startedAt, signature: signatureOf(body, secret), status: 204, ...rest };
}

export const body = JSON.stringify({ event: 'message.received', data: { messageId: 'message_1' } });

/** Refused at first, and acknowledged ten seconds later. */
export const delivered: Delivery = {
  id: 'delivery_1',
  subscriptionId: 'webhook_1',
  event: 'message.received',
  url,
  body,
  status: 'delivered',
  attempts: [
    attempt(1, start, { status: 500, error: 'the receiver answered 500, not a 2xx' }),
    attempt(2, start + 10_000),
  ],
  createdAt: start,
};

/** A contact who wrote, was told of, had an event tracked, and was sent to by the API and by a journey. */
export const sound: Evidence = {
  name: 'a workspace',
  clock: 'frozen',
  delayed: false,
  before: emptyWorkspace,
  after: {
    ...emptyWorkspace,
    workspace: { ...emptyWorkspace.workspace, quota: 8 },
    contacts: [{ id: 'contact_1', phone: '+15550100000', properties: { t2: true }, consent: 'unknown' }],
    events: [
      {
        id: 'event_1',
        contactId: 'contact_1',
        event: 'order_placed',
        properties: { token: 't3' },
        acceptedAt: start,
      },
    ],
    journeyRuns: [
      {
        id: 'run_1',
        journeyId: 'thanks',
        contactId: 'contact_1',
        eventId: 'event_1',
        eventProperties: { token: 't3' },
        startedAt: start,
        status: 'finished',
        position: 1,
        dueAt: start,
      },
    ],
    sends: [
      send({ id: 'send_1', templateId: 'hello', text: 'Hello t4' }),
      send({ id: 'send_2', templateId: 'step_thanks', text: 'Thanks for t3', journeyRunId: 'run_1' }),
    ],
    subscriptions: [
      {
        id: 'webhook_1',
        managed: false,
        url,
        events: ['message.received'],
        secret,
        enabled: true,
        createdAt: start,
      },
    ],
    deliveries: [delivered],
  },
  calls: [
    call({ kind: 'subscribe', url, events: ['message.received'], created: { id: 'webhook_1', secret } }, 1),
    call({ kind: 'write', phone: '+15550100000', token: 't2' }, 3),
    call({ kind: 'track', phone: '+15550100000', token: 't3', event: 'order_placed' }, 5),
    call({ kind: 'send', phone: '+15550100000', token: 't4' }, 7),
    call({ kind: 'message', phone: '+15550100000', messageId: 'message_1' }, 9),
  ],
  messages: [{ messageId: 'message_1', contactId: 'contact_1', at: start }],
  segmentMembers: { regulars: ['contact_1'] },
};

/** The sound evidence with other contents of the workspace at the end. */
export function ending(after: Partial<WorkspaceSnapshot>): Evidence {
  return { ...sound, after: { ...sound.after, ...after } };
}

/** The same with one delivery changed. */
export function delivering(change: Partial<Delivery>): Evidence {
  return ending({ deliveries: [{ ...delivered, ...change }] });
}

function send(
  rest: Pick<WorkspaceSnapshot['sends'][number], 'id' | 'templateId' | 'text'> &
    Partial<WorkspaceSnapshot['sends'][number]>,
): WorkspaceSnapshot['sends'][number] {
  return {
    status: 'sent',
    contactId: 'contact_1',
    phone: '+15550100000',
    variables: {},
    paidBy: 'plan',
    sentAt: start,
    ...rest,
  };
}
