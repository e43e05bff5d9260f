import type { Entry } from '../surface/entry.js';

export type FirstStep = 'connect' | 'write' | 'fail' | 'mend';

/** The most entries of a workspace that counts as new. */
const mostEntries = 50;

/** Whether the first steps still help: little has happened. */
export function isNew(entries: readonly Entry[]): boolean {
  return entries.length <= mostEntries;
}

/** The first steps that have happened, and the latest delivery to the built-in receiver that failed. */
export function firstStepsIn(
  entries: readonly Entry[],
  subscriptions: readonly { readonly id: string; readonly url: string }[],
  receiver: string | undefined,
): { readonly done: ReadonlySet<FirstStep>; readonly failed: string | undefined } {
  const own = new Set(subscriptions.filter(({ url }) => url === receiver).map(({ id }) => id));
  const attempts = entries.filter((entry) => entry.type === 'attempt');
  const received = attempts.filter(({ delivery }) => own.has(delivery.subscriptionId));
  const failed = received.findLast(({ attempt }) => attempt.error !== undefined);
  const done = new Set<FirstStep>();
  if (own.size > 0) done.add('connect');
  if (entries.some(({ type }) => type === 'message')) done.add('write');
  if (failed !== undefined) done.add('fail');
  if (failed !== undefined && received.some(({ attempt }) => attempt.error === undefined)) done.add('mend');
  return { done, failed: failed?.delivery.id };
}
