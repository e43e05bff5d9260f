import type { Duration } from '../time/duration.js';

/**
 * The switches of `specGaps` that have a fixed list of values, and those values. The first value is the default. The
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
   * The body of an error (§7): `nested` is `{ error: { code, message, details } }`, `flat` is `{ code, message, details }`,
   * `code` is `{ error: "code" }`; or plain `text`, an `html` page, or no body (`empty`).
   */
  errorBody: ['nested', 'flat', 'code', 'text', 'html', 'empty'],
  /** The body of a list (§4): `{ data: [...] }`, a bare `array`, or an array under the resource's name (`named`). */
  listBody: ['data', 'array', 'named'],
  /** The body of find, get and update (§4): the contact itself (`bare`), or under `contact` or `data`. */
  contactBody: ['bare', 'contact', 'data'],
  /** The response to an update (§4): the contact, or 204 without a body (`empty`). */
  updateAnswer: ['contact', 'empty'],
  /** The status for a missing or invalid key (§5). */
  unauthorizedStatus: [401, 403],
  /** The status of `invalid_request`, for a missing, unknown or invalid field (§7). */
  invalidRequestStatus: [400, 422],
  /** The status for an unreadable body: not JSON, wrong content type, or too large. `own` is 400, 415 and 413. */
  unreadableBodyStatus: ['own', 400, 422],
  /** The status for an unknown contact or subscription id in the path (§4). */
  unknownIdStatus: [404, 410],
  /** A `find` whose unencoded + arrives as a space (§4): refused with 400, or accepted. */
  unencodedPlus: ['refuse', 'accept'],
  /** The required fields of POST /v1/webhooks (§4). Without `events`, the subscription gets all events. */
  requiredWebhookFields: ['url and events', 'url'],
  /** Whether a listed subscription shows its secret. */
  secretInList: ['left out', 'shown'],
  /** The data of contact.opted_in and contact.opted_out (§6): all of it, the contact's id alone, or an empty object. */
  consentEventData: ['full', 'id', 'empty'],
  /** A template in the list (§2): all its fields, or its id alone. */
  templateRecord: ['full', 'id'],
  /**
   * The body of a retry (§8): the same bytes as the first attempt, or a new `timestamp` and signature. The journal has
   * the body of the first attempt and the signature of each attempt.
   */
  retriedBody: ['same', 're-stamped'],
  /**
   * A redirect by a receiver (§8): fails the attempt, or is followed, at most three times. Each redirect sends a POST with
   * the same bytes and signature to an allowed URL, all within the timeout of the attempt.
   */
  receiverRedirect: ['fail', 'follow'],
  /** An upsert of an existing contact (§4): merges its properties, or replaces them. */
  upsertOfExisting: ['merge', 'replace'],
  /** Another `phone` among the properties (§4): refused with 400, or ignored. */
  changedPhone: ['refuse', 'ignore'],
  /** A send to a contact who opted out (§4): allowed, or refused with 422 `send_failed`. */
  sendToOptedOut: ['allow', 'refuse'],
  /** A send of an unknown template (§4): 422 `send_failed`, or 404 `template_not_found`. */
  unknownTemplate: ['send_failed', 'not_found'],
  /** The first check of a send after its contact: the quota, or the template with its variables. */
  sendChecks: ['quota first', 'template first'],
  /** What a send costs if the provider rejects it (§8): nothing, or one conversation. */
  rejectedSend: ['spends nothing', 'spends one'],
  /** A property whose value is nested or null (§2): refused with 400, or accepted as it is. */
  nestedProperty: ['refuse', 'accept'],
} as const;

/** The value of each switch that has a fixed list of values. */
export type ChosenSpecGaps = {
  readonly [Name in keyof typeof specGapChoices]: (typeof specGapChoices)[Name][number];
};

/**
 * The behavior that the service's document leaves open. The contract ledger (docs/contract.md) explains each default.
 * Change a switch to test your code against another deployment that the document allows. {@link specGapChoices} lists
 * the values.
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
  /** The wait before each of the two retries of a delivery (§8). */
  readonly retryBackoff: readonly [Duration, Duration];
  /**
   * How many `requests` a workspace may make `per` period (§8). The period begins with its first request, by the
   * workspace's clock. Further requests get 429 `rate_limited` with Retry-After in seconds.
   */
  readonly rateLimit: 'off' | { readonly requests: number; readonly per: Duration };
}

/** The default of every switch, as the ledger states it. */
export const defaultSpecGaps: SpecGaps = {
  ...firstOfEach(specGapChoices),
  retryBackoff: ['10s', '60s'],
  rateLimit: 'off',
};

function firstOfEach<Table extends Readonly<Record<string, readonly [unknown, ...unknown[]]>>>(table: Table) {
  const firsts = Object.entries(table).map(([name, [first]]) => [name, first]);
  // `Object.fromEntries` forgets which name goes with which value.
  return Object.fromEntries(firsts) as { readonly [Name in keyof Table]: Table[Name][0] };
}
