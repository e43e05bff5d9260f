import type { ServerState } from '../../server/index.js';

/** How many characters a piece has at least. So many take about a millisecond. */
const pieceLength = 64 * 1024;

/** How large a state can be, in bytes. A larger one could not be read again, because no string of V8 has many more characters. */
export const mostBytes = 500_000_000;

/**
 * The JSON text of a state in pieces, so that the event loop can run between two of them.
 *
 * @throws Error after that many bytes, 500 MB by default.
 */
export function* piecesOf(state: ServerState, most = mostBytes): Generator<string> {
  let piece = '';
  let written = 0;
  for (const part of partsOf(state)) {
    piece += part;
    if (piece.length < pieceLength) continue;
    written += Buffer.byteLength(piece);
    if (written > most) throw stateTooLarge(most);
    yield piece;
    piece = '';
  }
  yield piece;
}

export function stateTooLarge(most = mostBytes): Error {
  return new Error(
    `The state is larger than the ${most / 1_000_000} MB that a file of it can have. Use a database with --store, which has no such limit.`,
  );
}

function* partsOf({ workspaces, ...server }: ServerState): Generator<string> {
  yield `${JSON.stringify(server).slice(0, -1)},"workspaces":[`;
  for (const [index, workspace] of workspaces.entries()) {
    if (index > 0) yield ',';
    yield* partsOfValue(workspace);
  }
  yield ']}\n';
}

/** The JSON text of a value, in which each item of a list is one part: a state has its records in lists. */
function* partsOfValue(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    yield '[';
    for (const [index, item] of value.entries()) yield `${index === 0 ? '' : ','}${JSON.stringify(item)}`;
    yield ']';
  } else if (isRecord(value)) {
    yield '{';
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    for (const [index, [name, field]] of fields.entries()) {
      yield `${index === 0 ? '' : ','}${JSON.stringify(name)}:`;
      yield* partsOfValue(field);
    }
    yield '}';
  } else {
    yield JSON.stringify(value);
  }
}

/** Whether a value is an object with fields, and not one that JSON writes in a form of its own, such as a date. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === '[object Object]';
}
