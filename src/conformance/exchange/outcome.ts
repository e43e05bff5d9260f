import { fieldOf, isObject } from './json.js';

/** An option of `checkConformance` that makes further checks possible. */
export type OptionName =
  | 'otherApiKey'
  | 'exhaustedApiKey'
  | 'send'
  | 'send.variables'
  | 'send.unapprovedTemplateId'
  | 'send.rejectedPhone'
  | 'deliveries'
  | 'deliveries.retryWait'
  | 'deliveries.lateAnswer'
  | 'events'
  | 'webhooks'
  | 'webhookUrl';

/** A response of the deployment. */
export interface ReceivedResponse {
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
export type Success = ReceivedResponse & { readonly ok: true };

/** The check made the request and got no response. */
export interface NoResponse {
  readonly kind: 'no_response';
  readonly reason: string;
}

/** The check did not make the request, because something that the request needs is missing. */
export interface NotRequested {
  readonly kind: 'not_requested';
  /** What the request needs, as a phrase that continues "it needs". */
  readonly needs: string;
  /** The option of `checkConformance` that provides it. `undefined` if no option does. */
  readonly option: OptionName | undefined;
}

/** The outcome of a request. */
export type Outcome = ReceivedResponse | NoResponse | NotRequested;

export function notRequested(needs: string, option?: OptionName): NotRequested {
  return { kind: 'not_requested', needs, option };
}

export function isSuccess(outcome: Outcome): outcome is Success {
  return outcome.kind === 'response' && outcome.ok;
}

/** Whether the deployment refused the key. */
export function isRefusedKey(outcome: Outcome): boolean {
  return outcome.kind === 'response' && (outcome.status === 401 || outcome.status === 403);
}

/** Whether the body is JSON and the content type says so. */
export function isJson({ headers, json }: ReceivedResponse): boolean {
  return json !== undefined && /\bjson\b/i.test(headers.get('content-type') ?? '');
}

/** What a request needs, with the option that provides it. */
export function describeNeed({ needs, option }: Pick<NotRequested, 'needs' | 'option'>): string {
  return `it needs ${needs}${option === undefined ? '' : ` (${option})`}`;
}

/** The status, the error's code if the body has one, and the shape of the body, without any value. */
export function describe(outcome: Outcome): string {
  const status = describeStatus(outcome);
  return outcome.kind === 'response' ? `${status}, ${describeBody(outcome)}` : status;
}

/** Describes each outcome. If no request was made, returns what the first one needs. */
export function seeing(
  describeIt: (outcome: Outcome) => string,
  ...outcomes: readonly [Outcome, ...Outcome[]]
): string | NotRequested {
  const [first] = outcomes;
  if (first.kind === 'not_requested' && outcomes.every(({ kind }) => kind === 'not_requested')) return first;
  return outcomes.map(describeIt).join('; ');
}

/** The status, and the error's code if the body has one. */
export function describeStatus(outcome: Outcome): string {
  if (outcome.kind === 'not_requested') return `no request: ${describeNeed(outcome)}`;
  if (outcome.kind === 'no_response') return `no response: ${outcome.reason}`;
  const code = codeIn(outcome);
  return code === undefined ? String(outcome.status) : `${outcome.status} ${code}`;
}

function describeBody({ text, json, headers, cut }: ReceivedResponse): string {
  if (cut) return 'a body that is too long';
  if (text === '') return 'no body';
  if (json !== undefined) return shapeOf(json);
  const type = /^[\w./+-]{1,60}/.exec(headers.get('content-type') ?? '')?.[0];
  return `a body that is not JSON (${type ?? 'without a content type'})`;
}

/** The code of an error, in any of the usual fields. */
function codeIn({ json }: ReceivedResponse): string | undefined {
  const error = fieldOf(json, 'error');
  const code = [fieldOf(error, 'code'), fieldOf(json, 'code'), error].find(
    (value) => typeof value === 'string',
  );
  return typeof code === 'string' ? code.slice(0, 60) : undefined;
}

const shownFields = 8;

/** The shape of a JSON value: the names of its fields, two levels deep. */
export function shapeOf(value: unknown, depth = 2): string {
  if (Array.isArray(value))
    return value.length === 0 ? '[]' : `[${value.length} × ${shapeOf(value[0], depth)}]`;
  if (!isObject(value)) return value === null ? 'null' : `a ${typeof value}`;
  if (depth === 0) return '{…}';
  const names = Object.keys(value);
  const fields = names.slice(0, shownFields).map((name) => {
    const label = name.slice(0, 40);
    return isObject(value[name]) || Array.isArray(value[name])
      ? `${label}: ${shapeOf(value[name], depth - 1)}`
      : label;
  });
  if (names.length > shownFields) fields.push('…');
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
