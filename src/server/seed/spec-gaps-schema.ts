import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import { type Duration, toMilliseconds } from '../time/duration.js';
import { duration } from './fields.js';

/** The switches that take one of a few values. */
export type NamedChoice = Exclude<keyof SpecGaps, 'retryBackoff' | 'rateLimit'>;

/** What each of them can be set to, its default first. */
export const specGapChoices = {
  errorBody: ['nested', 'flat', 'code', 'text', 'html', 'empty'],
  listBody: ['data', 'array', 'named'],
  contactBody: ['bare', 'contact', 'data'],
  updateAnswer: ['contact', 'empty'],
  unauthorizedStatus: [401, 403],
  invalidRequestStatus: [400, 422],
  unreadableBodyStatus: ['own', 400, 422],
  unknownIdStatus: [404, 410],
  unencodedPlus: ['refuse', 'accept'],
  requiredWebhookFields: ['url and events', 'url'],
  secretInList: ['left out', 'shown'],
  consentEventData: ['full', 'id', 'empty'],
  templateRecord: ['full', 'id'],
  retriedBody: ['same', 're-stamped'],
  receiverRedirect: ['fail', 'follow'],
  upsertOfExisting: ['merge', 'replace'],
  changedPhone: ['refuse', 'ignore'],
  sendToOptedOut: ['allow', 'refuse'],
  unknownTemplate: ['send_failed', 'not_found'],
  sendChecks: ['quota first', 'template first'],
  rejectedSend: ['spends nothing', 'spends one'],
  nestedProperty: ['refuse', 'accept'],
} as const satisfies { readonly [Name in NamedChoice]: readonly SpecGaps[Name][] };

const period: Schema<Duration> = duration.check(
  z.refine((length) => toMilliseconds(length) > 0, 'must be longer than nothing'),
);

const aNumber = 'must be a whole number, one or more';

const rateLimit: Schema<SpecGaps['rateLimit']> = z.union(
  [z.literal('off'), z.strictObject({ requests: z.int(aNumber).check(z.gte(1, aNumber)), per: period })],
  { error: 'must be "off", or how many requests in how long, such as { requests: 100, per: "1m" }' },
);

const retryBackoff: Schema<readonly [Duration, Duration]> = z.tuple([duration, duration], {
  error: 'must be two durations, one before each retry, such as ["10s", "60s"]',
});

const switches = z.object({
  errorBody: oneOf(specGapChoices.errorBody),
  listBody: oneOf(specGapChoices.listBody),
  contactBody: oneOf(specGapChoices.contactBody),
  updateAnswer: oneOf(specGapChoices.updateAnswer),
  unauthorizedStatus: oneOf(specGapChoices.unauthorizedStatus),
  invalidRequestStatus: oneOf(specGapChoices.invalidRequestStatus),
  unreadableBodyStatus: oneOf(specGapChoices.unreadableBodyStatus),
  unknownIdStatus: oneOf(specGapChoices.unknownIdStatus),
  unencodedPlus: oneOf(specGapChoices.unencodedPlus),
  requiredWebhookFields: oneOf(specGapChoices.requiredWebhookFields),
  secretInList: oneOf(specGapChoices.secretInList),
  consentEventData: oneOf(specGapChoices.consentEventData),
  templateRecord: oneOf(specGapChoices.templateRecord),
  retryBackoff: z.exactOptional(retryBackoff),
  retriedBody: oneOf(specGapChoices.retriedBody),
  receiverRedirect: oneOf(specGapChoices.receiverRedirect),
  upsertOfExisting: oneOf(specGapChoices.upsertOfExisting),
  changedPhone: oneOf(specGapChoices.changedPhone),
  sendToOptedOut: oneOf(specGapChoices.sendToOptedOut),
  unknownTemplate: oneOf(specGapChoices.unknownTemplate),
  sendChecks: oneOf(specGapChoices.sendChecks),
  rejectedSend: oneOf(specGapChoices.rejectedSend),
  nestedProperty: oneOf(specGapChoices.nestedProperty),
  rateLimit: z.exactOptional(rateLimit),
});

const noSwitch = z.custom(() => false, `is no switch; there are ${Object.keys(switches.shape).join(', ')}`);

/** The switches of `specGaps`, as read from a file or given by a program. */
export const specGapsSchema: Schema<Partial<SpecGaps>> = z.catchall(switches, noSwitch);

function oneOf<const Values extends readonly (string | number)[]>(values: Values) {
  return z.exactOptional(z.literal([...values]));
}
