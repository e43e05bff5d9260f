import type { CallPromise, MessagingAutomation, RequestOptions } from 'messaging-automation';
import { operationCases } from '../../operations/cases.js';
import { madeUp, type OperationCase } from '../../operations/operation-case.js';
import { phone } from './samples.js';

type Call = (messaging: MessagingAutomation, options?: RequestOptions) => CallPromise<unknown>;

const sample = { ...madeUp, phone };

/** Every operation that does no more when sent twice. */
export const repeatable = callsOf(({ repeatable }) => repeatable);

/** Every operation that must not be sent twice. */
export const once = callsOf(({ repeatable }) => !repeatable);

export const everyCall: Readonly<Record<string, Call>> = { ...repeatable, ...once };

function callsOf(isMeant: (one: OperationCase) => boolean): Readonly<Record<string, Call>> {
  const meant = operationCases.filter(([, one]) => isMeant(one));
  return Object.fromEntries(
    meant.map(([name, { call }]): [string, Call] => [
      name,
      (messaging, options) => call(messaging, sample, options),
    ]),
  );
}
