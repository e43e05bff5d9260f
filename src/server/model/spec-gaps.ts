import type { Duration } from '../time/duration.js';

/**
 * What the reference server can do where the service's document shows nothing: the switches that take one of a few
 * values, and their values. The first value is the default, which the contract ledger (docs/contract.md) states.
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
   * `code` is `{ error: "code" }`; or plain `text`, an `html` page, or nothing (`empty`).
   */
  errorBody: ['nested', 'flat', 'code', 'text', 'html', 'empty'],
  /** The body of a list (§4): `{ data: [...] }`, a bare `array`, or an array under the resource's name (`named`). */
  listBody: ['data', 'array', 'named'],
  /** The body of find, get and update (§4): the contact itself (`bare`), or under `contact` or `data`. */
  contactBody: ['bare', 'contact', 'data'],
  /** The answer to an update (§4): the contact, or 204 without a body (`empty`). */
  updateAnswer: ['contact', 'empty'],
  /** The status where a key is missing or not valid (§5). */
  unauthorizedStatus: [401, 403],
  /** The status of `invalid_request`, where a field is missing, unknown or wrong (§7). */
  invalidRequestStatus: [400, 422],
  /** The status of what cannot be read at all: not JSON, another content type, too large. `own` is 400, 415 and 413. */
  unreadableBodyStatus: ['own', 400, 422],
  /** The status where no contact or subscription has the id of the path (§4). */
  unknownIdStatus: [404, 410],
  /** A `find` whose + arrives as a space (§4): refused with 400, or understood. */
  unencodedPlus: ['refuse', 'accept'],
  /** What POST /v1/webhooks must be given (§4); without `events`, the subscription is to all of them. */
  requiredWebhookFields: ['url and events', 'url'],
  /** Whether a listed subscription shows its secret. */
  secretInList: ['left out', 'shown'],
  /** The data of contact.opted_in and contact.opted_out (§6): all of it, the contact's id alone, or an empty object. */
  consentEventData: ['full', 'id', 'empty'],
  /** A template in the list (§2): all its fields, or its id alone. */
  templateRecord: ['full', 'id'],
  /**
   * A retried body (§8): byte for byte the first one, or with the time of the retry as its `timestamp` and a signature to
   * that. The journal has the body of the first attempt and the signature of each.
   */
  retriedBody: ['same', 're-stamped'],
  /**
   * A redirect of a receiver (§8): a failed attempt, or followed, three times at the most, each a POST of the same bytes
   * with the same signature to a URL that deliveries may go to, all within the time of one attempt.
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
  /** Which check of a send comes first after its contact: the quota, or the template with its variables. */
  sendChecks: ['quota first', 'template first'],
  /** What a send that the provider rejects takes off the quota (§8): nothing, or one conversation. */
  rejectedSend: ['spends nothing', 'spends one'],
  /** A property whose value is nested or null (§2): refused with 400, or accepted as it is. */
  nestedProperty: ['refuse', 'accept'],
} as const;

/** The value of each switch that takes one of a few. */
export type ChosenSpecGaps = {
  readonly [Name in keyof typeof specGapChoices]: (typeof specGapChoices)[Name][number];
};

/**
 * What the service does where its document shows nothing. Each switch has the default that the contract ledger
 * (docs/contract.md) states. Another value makes the reference server another deployment that the document allows, so
 * that you can test your code against it. {@link specGapChoices} lists the values.
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
   * How many requests a workspace may make in how long (§8), counted from the first, by the workspace's clock; beyond
   * that, 429 `rate_limited` with Retry-After in seconds.
   */
  readonly rateLimit: 'off' | { readonly requests: number; readonly per: Duration };
}

/** The default of every switch: what the ledger states. */
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
