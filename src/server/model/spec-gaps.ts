import type { Duration } from '../time/duration.js';

/**
 * The gaps of the service's document that have a fixed list of values, with those values. The first value is the default. The
 * contract ledger (docs/contract.md) explains each default.
 *
 * @example
 * ```ts
 * import { createReferenceServer, specGapChoices } from 'messaging-automation/server';
 *
 * for (const listBody of specGapChoices.listBody) {
 *   await using server = createReferenceServer({ specGaps: { listBody } });
 *   console.log(listBody, await server.client.templates.list()); // an empty list, each time
 * }
 * ```
 */
export const specGapChoices = {
  /**
   * The body of an error: `nested` is `{ error: { code, message, details } }`, `flat` is `{ code, message, details }`,
   * `code` is `{ error: "code" }`; or plain `text`, an `html` page, or no body (`empty`).
   */
  errorBody: ['nested', 'flat', 'code', 'text', 'html', 'empty'],
  /** The body of a list: `{ data: [...] }`, a bare `array`, or an array under the resource's name (`named`). */
  listBody: ['data', 'array', 'named'],
  /** The body of find, get and update: the contact itself (`bare`), or the contact under `contact` or `data`. */
  contactBody: ['bare', 'contact', 'data'],
  /** The response to an update: the contact, or 204 without a body (`empty`). */
  updateResponse: ['contact', 'empty'],
  /** The status for a missing or invalid key. */
  unauthorizedStatus: [401, 403],
  /** The status of `invalid_request`, for a missing, unknown or invalid field. */
  invalidRequestStatus: [400, 422],
  /** The status for an unreadable body: not JSON, wrong content type, or too large. `own` uses 400, 415 and 413. */
  unreadableBodyStatus: ['own', 400, 422],
  /** The status for an unknown contact or subscription id in the path. */
  unknownIdStatus: [404, 410],
  /** A `find` with an unencoded + in its phone, which arrives as a space: rejected with 400, or accepted. */
  unencodedPlus: ['refuse', 'accept'],
  /** The required fields of POST /v1/webhooks. Without `events`, the subscription gets all events. */
  requiredWebhookFields: ['url and events', 'url'],
  /** Whether a listed subscription shows its secret. */
  secretInList: ['left out', 'shown'],
  /** The data of contact.opted_in and contact.opted_out: all fields, only the contact's id, or an empty object. */
  consentEventData: ['full', 'id', 'empty'],
  /** A template in the list: all its fields, or only its id. */
  templateRecord: ['full', 'id'],
  /**
   * The body of a retry: the same bytes as the first attempt, or a body with a new `timestamp` and signature. The journal
   * has the body of the first attempt and the signature of each attempt.
   */
  retriedBody: ['same', 're-stamped'],
  /**
   * What the service does if a receiver redirects: the attempt fails, or the service follows at most three redirects. It
   * sends each POST with the same bytes and signature to an allowed URL, all within the timeout of the attempt.
   */
  receiverRedirect: ['fail', 'follow'],
  /** An upsert of an existing contact: merges its properties, or replaces them. */
  upsertOfExisting: ['merge', 'replace'],
  /** Properties with a `phone` that differs from the contact's: rejected with 400, or ignored. */
  changedPhone: ['refuse', 'ignore'],
  /** A send to a contact who opted out: allowed, or rejected with 422 `send_failed`. */
  sendToOptedOut: ['allow', 'refuse'],
  /** A send of an unknown template: 422 `send_failed`, or 404 `template_not_found`. */
  unknownTemplate: ['send_failed', 'not_found'],
  /** What a send checks first after its contact: the quota, or the template with its variables. */
  sendChecks: ['quota first', 'template first'],
  /** What a send costs if the provider rejects it: nothing, or one conversation. */
  rejectedSend: ['spends nothing', 'spends one'],
  /** A property whose value is nested or null: rejected with 400, or accepted unchanged. */
  nestedProperty: ['refuse', 'accept'],
} as const;

/** The value of each gap that has a fixed list of values. */
export type ChosenSpecGaps = {
  readonly [Name in keyof typeof specGapChoices]: (typeof specGapChoices)[Name][number];
};

/**
 * The gaps of the service's document: behavior that it does not specify. Change the value of a gap to test your code against a
 * deployment that behaves differently. {@link specGapChoices} lists the values. The contract ledger (docs/contract.md) explains each
 * default.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type SpecGaps } from 'messaging-automation/server';
 *
 * const specGaps: Partial<SpecGaps> = { listBody: 'array', errorBody: 'text', unknownTemplate: 'not_found' };
 * await using server = createReferenceServer({ specGaps });
 * ```
 */
export interface SpecGaps extends ChosenSpecGaps {
  /** The waits before the first and the second retry of a delivery. Default: `['10s', '60s']`. */
  readonly retryBackoff: readonly [Duration, Duration];
  /**
   * How many `requests` a workspace may make `per` period. The period begins with its first request, by the workspace's
   * clock. Further requests get 429 `rate_limited` with Retry-After in seconds. Default: `off`.
   */
  readonly rateLimit: 'off' | { readonly requests: number; readonly per: Duration };
}

/** The default of every gap, as the ledger states it. */
export const defaultSpecGaps: SpecGaps = {
  ...firstOfEach(specGapChoices),
  retryBackoff: ['10s', '60s'],
  rateLimit: 'off',
};

function firstOfEach<Table extends Readonly<Record<string, readonly [unknown, ...unknown[]]>>>(table: Table) {
  const firsts = Object.entries(table).map(([name, [first]]) => [name, first]);
  // The type of `Object.fromEntries` loses which name belongs to which value.
  return Object.fromEntries(firsts) as { readonly [Name in keyof Table]: Table[Name][0] };
}
