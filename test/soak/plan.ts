import type { WebhookEventType } from 'messaging-automation';
import type { FaultRule, FaultSelection, RequestFault } from 'messaging-automation/server';
import { Chance } from './chance.js';
import { deliveryFault, requestFault, requestFaultFor } from './fault-plan.js';
import { eventNames, people, receiverManners, refusedPhones } from './scenario.js';

/** One thing to do. Those on the API may ask for a fault of their own. */
export type Operation = OnApi | ByHand;

/** By the client, over the socket. */
export type OnApi = (
  | { readonly kind: 'upsert' | 'update'; readonly phone: string; readonly city?: string }
  | { readonly kind: 'find' | 'get' | 'delete contact'; readonly phone: string }
  | {
      readonly kind: 'send';
      readonly phone: string;
      readonly template: 'right' | 'draft' | 'unknown' | 'unfilled';
    }
  | { readonly kind: 'track'; readonly phone: string; readonly event: string; readonly by: 'phone' | 'id' }
  | { readonly kind: 'subscribe'; readonly receiver: number; readonly events: readonly WebhookEventType[] }
  | { readonly kind: 'unsubscribe'; readonly which: number }
  | { readonly kind: 'list subscriptions' | 'list templates' }
) & { readonly fault?: RequestFault };

/** By whoever holds the workspace. */
export type ByHand =
  | { readonly kind: 'message'; readonly phone: string; readonly body: string }
  | { readonly kind: 'burst'; readonly phone: string; readonly messages: number }
  | { readonly kind: 'redeliver'; readonly which: number }
  | { readonly kind: 'advance' | 'set clock'; readonly seconds: number }
  | { readonly kind: 'run to idle' | 'rotate key' | 'take faults back' }
  | { readonly kind: 'add fault'; readonly rule: FaultRule }
  | { readonly kind: 'copy'; readonly operations: readonly Operation[] }
  | { readonly kind: 'close' };

type Clock = 'frozen' | 'flowing';

export interface WorkspacePlan {
  readonly name: string;
  readonly clock: Clock;
  readonly quota: number;
  readonly addOnCredits: number;
  readonly randomSeed: number;
  /** Whether faults may hold attempts up by the workspace's clock. */
  readonly delayed: boolean;
  /** What is done by one caller after another; the callers work at the same time. */
  readonly callers: readonly (readonly Operation[])[];
}

/** A receiver that is killed, counted in the operations of the round. */
export interface Kill {
  readonly receiver: number;
  readonly after: number;
  readonly restartAfter: number;
}

export interface RoundPlan {
  readonly number: number;
  readonly workspaces: readonly WorkspacePlan[];
  readonly kills: readonly Kill[];
}

const callersOfEach = 3;
const operationsOfEach = 12;

/** The plan of a round: the same for the same seed and number. */
export function planRound(seed: number, number: number): RoundPlan {
  const chance = new Chance(seed, number);
  const last = chance.pick<Clock>(['frozen', 'flowing']);
  const clocks: readonly Clock[] = ['frozen', 'frozen', 'flowing', 'flowing', last];
  const workspaces = clocks.map((clock, index): WorkspacePlan => {
    const closes = index === clocks.length - 1;
    const delayed = index % 2 === 1;
    return {
      name: `round ${number}, workspace ${index + 1} (${clock}${closes ? ', closed early' : ''})`,
      clock,
      quota: chance.between(10, 80),
      addOnCredits: chance.between(0, 20),
      randomSeed: chance.between(1, 1_000_000),
      delayed,
      callers: Array.from({ length: callersOfEach }, (_, caller) => [
        ...(caller === 0 ? beginning(chance) : []),
        ...planOperations(chance, operationsOfEach, delayed),
        ...(caller === 0 && closes ? [{ kind: 'close' } as const] : []),
        ...(caller === 1 && !closes ? [planCopy(chance, delayed)] : []),
        ...planOperations(chance, 4, delayed),
      ]),
    };
  });
  const total = clocks.length * callersOfEach * operationsOfEach;
  const kills = Array.from({ length: 3 }, (): Kill => {
    const after = chance.between(1, Math.floor(total * 0.8));
    return {
      receiver: chance.between(0, receiverManners.length - 1),
      after,
      restartAfter: after + chance.between(10, 40),
    };
  });
  return { number, workspaces, kills };
}

/** Somebody to write to, and receivers to tell. */
function beginning(chance: Chance): readonly Operation[] {
  return [
    ...receiverManners.map((_, receiver) => planSubscription(chance, receiver)),
    ...people.slice(6, 10).map((phone) => ({ kind: 'upsert', phone, city: 'Paris' }) as const),
  ];
}

function planCopy(chance: Chance, delayed: boolean): Operation {
  return { kind: 'copy', operations: planOperations(chance, 12, delayed) };
}

function planOperations(chance: Chance, count: number, delayed: boolean): readonly Operation[] {
  return Array.from({ length: count }, () => planOperation(chance, delayed));
}

function planOperation(chance: Chance, delayed: boolean): Operation {
  const phone = chance.pick(chance.in(0.04) ? refusedPhones : people);
  const plan = chance.weighted<() => Operation>([
    [
      24,
      () => ({
        kind: 'message',
        phone,
        body: chance.pick(['START', 'STOP', 'Hello', 'Where is it?', ' stop ']),
      }),
    ],
    [18, () => ({ kind: 'track', phone, event: chance.pick(eventNames), by: chance.pick(['phone', 'id']) })],
    [
      14,
      () => ({
        kind: 'send',
        phone,
        template: chance.weighted([
          [8, 'right'],
          [1, 'draft'],
          [1, 'unknown'],
          [1, 'unfilled'],
        ]),
      }),
    ],
    [10, () => ({ kind: 'upsert', phone, ...(chance.in(0.5) && { city: 'Paris' }) })],
    [5, () => ({ kind: 'update', phone })],
    [3, () => ({ kind: 'find', phone })],
    [3, () => ({ kind: 'get', phone })],
    [4, () => ({ kind: 'delete contact', phone })],
    [3, () => planSubscription(chance, chance.between(0, receiverManners.length - 1))],
    [2, () => ({ kind: 'unsubscribe', which: chance.between(0, 99) })],
    [1, () => ({ kind: 'list subscriptions' })],
    [1, () => ({ kind: 'list templates' })],
    // More at a time than may be under way to one receiver.
    [1, () => ({ kind: 'burst', phone, messages: chance.between(20, 40) })],
    [2, () => ({ kind: 'redeliver', which: chance.between(0, 999) })],
    [5, () => ({ kind: 'advance', seconds: chance.pick([1, 5, 10, 30, 60, 90]) })],
    [2, () => ({ kind: 'set clock', seconds: chance.between(1, 200) })],
    [1, () => ({ kind: 'run to idle' })],
    [1, () => ({ kind: 'rotate key' })],
    [6, () => ({ kind: 'add fault', rule: planRule(chance, delayed) })],
    [2, () => ({ kind: 'take faults back' })],
  ]);
  const operation = plan();
  return isOnApi(operation) && chance.in(0.06)
    ? { ...operation, fault: requestFaultFor(operation.kind, chance) }
    : operation;
}

function planSubscription(chance: Chance, receiver: number): Operation {
  const events = chance.pick<readonly WebhookEventType[]>([
    ['message.received', 'contact.opted_in', 'contact.opted_out'],
    ['message.received'],
    ['contact.opted_in', 'contact.opted_out'],
  ]);
  return { kind: 'subscribe', receiver, events };
}

/** A rule that strikes some, and not for ever. */
function planRule(chance: Chance, delayed: boolean): FaultRule {
  const times = chance.between(2, 12);
  const selection = chance.pick<FaultSelection>([
    { times, probability: 0.3 },
    { times, every: 3 },
    { nth: times },
  ]);
  return chance.in(0.5)
    ? { delivery: 'any', ...selection, fault: deliveryFault(chance, delayed) }
    : { operation: 'any', ...selection, fault: requestFault(chance) };
}

export function isOnApi(operation: Operation): operation is OnApi {
  const byHand: readonly string[] = [
    'message',
    'burst',
    'redeliver',
    'advance',
    'set clock',
    'run to idle',
    'rotate key',
    'take faults back',
    'add fault',
    'copy',
    'close',
  ];
  return !byHand.includes(operation.kind);
}
