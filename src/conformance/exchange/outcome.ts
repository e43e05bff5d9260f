import type { OptionName } from '../option-name.js';
import { fieldOf, isObject } from './json.js';

/** An answer to a request. */
export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  /** Whether the status is a success. */
  readonly ok: boolean;
  readonly headers: Headers;
  /** The body, or its first part where it is too long. */
  readonly text: string;
  /** The body as JSON; `undefined` where it is not JSON. */
  readonly json: unknown;
  /** Whether the body is longer than what the check reads. */
  readonly cut: boolean;
  /** Whether the request was answered with 429 before, and may have been carried out all the same. */
  readonly repeated: boolean;
}

/** An answer whose status is a success. */
export type Success = Answer & { readonly ok: true };

/** The deployment got the request and gave no answer. */
export interface NoAnswer {
  readonly kind: 'no_answer';
  readonly why: string;
}

/** The check did not make the request, because something that the request needs is missing. */
export interface NotAsked {
  readonly kind: 'not_asked';
  /** What the request needs, as it stands after "it needs". */
  readonly needs: string;
  /** The option of `checkConformance` that provides it; `undefined` where no option does. */
  readonly option: OptionName | undefined;
}

/** What became of a request. */
export type Outcome = Answer | NoAnswer | NotAsked;

export function notAsked(needs: string, option?: OptionName): NotAsked {
  return { kind: 'not_asked', needs, option };
}

export function isSuccess(outcome: Outcome): outcome is Success {
  return outcome.kind === 'answer' && outcome.ok;
}

/** Whether the deployment refused the key. */
export function isRefusedKey(outcome: Outcome): boolean {
  return outcome.kind === 'answer' && (outcome.status === 401 || outcome.status === 403);
}

/** Whether the body is JSON and the content type says so. */
export function isJson({ headers, json }: Answer): boolean {
  return json !== undefined && /\bjson\b/i.test(headers.get('content-type') ?? '');
}

/** What a request needs, with the option that provides it. */
export function describeNeed({ needs, option }: Pick<NotAsked, 'needs' | 'option'>): string {
  return `it needs ${needs}${option === undefined ? '' : ` (${option})`}`;
}

/** The status and the shape of the body, never a value in it. */
export function describe(outcome: Outcome): string {
  if (outcome.kind === 'not_asked') return `not asked: ${describeNeed(outcome)}`;
  if (outcome.kind === 'no_answer') return `no answer: ${outcome.why}`;
  return `${outcome.status}, ${describeBody(outcome)}`;
}

/** These outcomes, each described; where no request was made, what the first of them needs. */
export function seeing(
  describeIt: (outcome: Outcome) => string,
  ...outcomes: readonly [Outcome, ...Outcome[]]
): string | NotAsked {
  const [first] = outcomes;
  if (first.kind === 'not_asked' && outcomes.every(({ kind }) => kind === 'not_asked')) return first;
  return outcomes.map(describeIt).join('; ');
}

/** An error: the status, the code where the body has one, and the shape of the body. */
export function describeError(outcome: Outcome): string {
  const code = outcome.kind === 'answer' ? codeIn(outcome) : undefined;
  if (outcome.kind !== 'answer' || code === undefined) return describe(outcome);
  return `${outcome.status} ${code}, ${describeBody(outcome)}`;
}

/** The status, and the error's code where the body has one. */
export function describeStatus(outcome: Outcome): string {
  if (outcome.kind !== 'answer') return describe(outcome);
  const code = codeIn(outcome);
  return code === undefined ? String(outcome.status) : `${outcome.status} ${code}`;
}

export function describeBody({ text, json, headers, cut }: Answer): string {
  if (cut) return 'a body that is too long';
  if (text === '') return 'no body';
  if (json !== undefined) return shapeOf(json);
  const type = /^[\w./+-]{1,60}/.exec(headers.get('content-type') ?? '')?.[0];
  return `a body that is not JSON (${type ?? 'without a content type'})`;
}

/** The code of an error, in any of the places where services put it. */
function codeIn({ json }: Answer): string | undefined {
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
