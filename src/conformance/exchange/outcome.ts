import type { OptionName } from '../options.js';

/** A response of the deployment. */
export interface DeploymentResponse {
  readonly kind: 'response';
  readonly status: number;
  /** Whether the status is a success. */
  readonly ok: boolean;
  readonly headers: Headers;
  /** The body, or its first part if it is too long. */
  readonly text: string;
  /** The body as JSON. `undefined` if it is not JSON. */
  readonly json: unknown;
  /** Whether the check reads only a part of the body, because the body is too long. */
  readonly cut: boolean;
  /** Whether the request got a 429 before. The deployment may have processed it nevertheless. */
  readonly repeated: boolean;
}

/** A response with a success status. */
export type SuccessfulResponse = DeploymentResponse & { readonly ok: true };

/** The check made the request and got no response. */
export interface NoResponse {
  readonly kind: 'no_response';
  readonly reason: string;
}

/** The check did not make a request, or does not judge a statement, because something is missing. */
export interface NotChecked {
  readonly kind: 'not_requested';
  readonly verdict: 'not_checked';
  /** What is missing, with the option that provides it. */
  readonly seen: string;
  readonly option?: OptionName;
}

/** The outcome of a request. */
export type ExchangeOutcome = DeploymentResponse | NoResponse | NotChecked;

/** @param needs What is missing, as a phrase that continues "it needs". */
export function needing(needs: string, option?: OptionName): NotChecked {
  const missing = { kind: 'not_requested', verdict: 'not_checked', seen: `it needs ${needs}` } as const;
  return option === undefined ? missing : { ...missing, seen: `${missing.seen} (${option})`, option };
}

export function isSuccess(outcome: ExchangeOutcome): outcome is SuccessfulResponse {
  return outcome.kind === 'response' && outcome.ok;
}

/** Whether the deployment refused the key. */
export function isRefusedKey(outcome: ExchangeOutcome): boolean {
  return outcome.kind === 'response' && (outcome.status === 401 || outcome.status === 403);
}
