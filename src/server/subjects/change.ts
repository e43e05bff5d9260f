import { secretPrefix } from '../../contract/secret-prefix.js';
import type { ChangeEntry } from '../model/journal-entry.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';

/** A call that changes a workspace, as the journal records it. */
export interface ChangingCall<Result> {
  /** The name of the call in a program. */
  readonly operation: ChangeEntry['operation'];
  /** The arguments of the call in a program. Default: none. */
  readonly given?: readonly unknown[];
  /** Returns what the change replaces. Undefined: nothing. */
  readonly before?: () => unknown;
  /** Returns the id of what the call made. */
  readonly idOf?: (result: Result) => string;
}

/**
 * Runs a rule that changes a workspace, and records the change. Every change goes this way, whether a program or a request asks for it.
 * A rule that returns false has changed nothing.
 */
export function change<Result>(
  live: LiveWorkspace,
  { operation, given = [], before, idOf }: ChangingCall<Result>,
  rule: () => Promise<Result> | Result,
): Promise<Result> {
  return run(live, async () => {
    const replaced = before && ((await before()) ?? null);
    const result = await rule();
    if (result === false) return result;
    const argumentsKept = kept(given);
    const beforeKept = kept(replaced);
    live.context.record({
      type: 'change',
      at: live.clock.now(),
      operation,
      ...(Array.isArray(argumentsKept) && { arguments: argumentsKept }),
      ...(beforeKept !== undefined && { before: beforeKept }),
      ...(idOf && { created: idOf(result) }),
    });
    return result;
  });
}

/** The largest value that an entry keeps, as JSON: snapshots can be large. In characters. */
const mostKept = 64 * 1024;

/** Matches a signing secret in a text. */
const secret = new RegExp(`(${secretPrefix})[\\x21\\x23-\\x5b\\x5d-\\x7e]+`, 'g');

/** Copies a value as JSON, without its signing secrets. Undefined if it is too large. */
function kept(value: unknown): unknown {
  if (value === undefined) return undefined;
  const json = JSON.stringify(value, (name, each) =>
    name === 'secret' && typeof each === 'string' ? `${secretPrefix}***` : each,
  );
  return json.length > mostKept ? undefined : JSON.parse(json.replaceAll(secret, '$1***'));
}
