import type { CallPromise, MessagingAutomation, RequestOptions } from 'messaging-automation';
import { madeUp, type OperationTwin } from '../../operations/twin.js';
import { twins } from '../../operations/twins.js';
import { phone } from './service.js';

type Call = (messaging: MessagingAutomation, options?: RequestOptions) => CallPromise<unknown>;

const sample = { ...madeUp, phone };

/** Every operation that does no more when sent twice. */
export const repeatable = callsOf((twin) => twin.repeatable);

/** Every operation that must not be sent twice. */
export const once = callsOf((twin) => !twin.repeatable);

export const everyCall: Readonly<Record<string, Call>> = { ...repeatable, ...once };

function callsOf(isMeant: (twin: OperationTwin) => boolean): Readonly<Record<string, Call>> {
  const meant = twins.filter(([, twin]) => isMeant(twin));
  return Object.fromEntries(
    meant.map(([name, { call }]): [string, Call] => [
      name,
      (messaging, options) => call(messaging, sample, options),
    ]),
  );
}
