import type { Duration } from '../time/duration.js';

/**
 * What the service does where its document shows nothing. Each switch has the default that the contract ledger
 * (docs/contract.md) states; another value makes the reference server another deployment that the document allows, so
 * that code can be tested against it.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type SpecGaps } from 'messaging-automation/server';
 *
 * const specGaps: Partial<SpecGaps> = { listBody: 'array', errorBody: 'text', unknownTemplate: 'not_found' };
 * await using server = createReferenceServer({ specGaps });
 * ```
 */
export interface SpecGaps {
  /**
   * The body of an error (§7): `nested` is `{ error: { code, message, details } }`, `flat` is `{ code, message, details }`,
   * `code` is `{ error: "code" }`; or plain `text`, an `html` page, or nothing (`empty`).
   */
  readonly errorBody: 'nested' | 'flat' | 'code' | 'text' | 'html' | 'empty';
  /** The body of a list (§4): `{ data: [...] }`, a bare `array`, or an array under the resource's name (`named`). */
  readonly listBody: 'data' | 'array' | 'named';
  /** The body of find, get and update (§4): the contact itself (`bare`), or under `contact` or `data`. */
  readonly contactBody: 'bare' | 'contact' | 'data';
  /** The answer to an update (§4): the contact, or 204 without a body (`empty`). */
  readonly updateAnswer: 'contact' | 'empty';
  /** The status where a key is missing or not valid (§5). */
  readonly unauthorizedStatus: 401 | 403;
  /** The status of `invalid_request`, where a field is missing, unknown or wrong (§7). */
  readonly invalidRequestStatus: 400 | 422;
  /** The status of what cannot be read at all: not JSON, another content type, too large. `own` is 400, 415 and 413. */
  readonly unreadableBodyStatus: 'own' | 400 | 422;
  /** The status where no contact or subscription has the id of the path (§4). */
  readonly unknownIdStatus: 404 | 410;
  /** A `find` whose + arrives as a space (§4): refused with 400, or understood. */
  readonly unencodedPlus: 'refuse' | 'accept';
  /** What POST /v1/webhooks must be given (§4); without `events`, the subscription is to all of them. */
  readonly requiredWebhookFields: 'url and events' | 'url';
  /** Whether a listed subscription shows its secret. */
  readonly secretInList: 'left out' | 'shown';
  /** The data of contact.opted_in and contact.opted_out (§6): all of it, the contact's id alone, or an empty object. */
  readonly consentEventData: 'full' | 'id' | 'empty';
  /** A template in the list (§2): all its fields, or its id alone. */
  readonly templateRecord: 'full' | 'id';
  /** The wait before each of the two retries of a delivery (§8). */
  readonly retryBackoff: readonly [Duration, Duration];
  /**
   * A retried body (§8): byte for byte the first one, or with the time of the retry as its `timestamp` and a signature to
   * that. The journal has the body of the first attempt and the signature of each.
   */
  readonly retriedBody: 'same' | 're-stamped';
  /**
   * A redirect of a receiver (§8): a failed attempt, or followed, three times at the most, each a POST of the same bytes
   * with the same signature to a URL that deliveries may go to, all within the time of one attempt.
   */
  readonly receiverRedirect: 'fail' | 'follow';
  /** An upsert of an existing contact (§4): merges its properties, or replaces them. */
  readonly upsertOfExisting: 'merge' | 'replace';
  /** Another `phone` among the properties (§4): refused with 400, or ignored. */
  readonly changedPhone: 'refuse' | 'ignore';
  /** A send to a contact who opted out (§4): allowed, or refused with 422 `send_failed`. */
  readonly sendToOptedOut: 'allow' | 'refuse';
  /** A send of an unknown template (§4): 422 `send_failed`, or 404 `template_not_found`. */
  readonly unknownTemplate: 'send_failed' | 'not_found';
  /** Which check of a send comes first after its contact: the quota, or the template with its variables. */
  readonly sendChecks: 'quota first' | 'template first';
  /** What a send that the provider rejects takes off the quota (§8): nothing, or one conversation. */
  readonly rejectedSend: 'spends nothing' | 'spends one';
  /** A property whose value is nested or null (§2): refused with 400, or accepted as it is. */
  readonly nestedProperty: 'refuse' | 'accept';
  /**
   * How many requests a workspace may make in how long (§8), counted from the first, by the workspace's clock; beyond
   * that, 429 `rate_limited` with Retry-After in seconds.
   */
  readonly rateLimit: 'off' | { readonly requests: number; readonly per: Duration };
}

/** What the reference server does unless told otherwise: the ledger's defaults. */
export const defaultSpecGaps: SpecGaps = {
  errorBody: 'nested',
  listBody: 'data',
  contactBody: 'bare',
  updateAnswer: 'contact',
  unauthorizedStatus: 401,
  invalidRequestStatus: 400,
  unreadableBodyStatus: 'own',
  unknownIdStatus: 404,
  unencodedPlus: 'refuse',
  requiredWebhookFields: 'url and events',
  secretInList: 'left out',
  consentEventData: 'full',
  templateRecord: 'full',
  retryBackoff: ['10s', '60s'],
  retriedBody: 'same',
  receiverRedirect: 'fail',
  upsertOfExisting: 'merge',
  changedPhone: 'refuse',
  sendToOptedOut: 'allow',
  unknownTemplate: 'send_failed',
  sendChecks: 'quota first',
  rejectedSend: 'spends nothing',
  nestedProperty: 'refuse',
  rateLimit: 'off',
};
