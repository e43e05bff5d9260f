import { type StoreName, scopes } from './promises.js';

/** What a receiver promises of two messages of one contact, with `inOrder: 'contact'`. */
export interface PromisedInTurn {
  readonly happens: string;
  readonly scope: string;
  readonly stores: readonly StoreName[];
  /** The responses to the attempts of the first and of the second message. */
  readonly first: string;
  readonly second: string;
  /** The messages whose handlers ran, in this order. */
  readonly runs: string;
}

export const tableInTurn = `
| what happens | store | first message | second message | handlers run for | the service's two retries |
|---|---|---|---|---|---|
| the second comes while the first runs | every store | 204 | 204 | 1, 2 | not needed: the second waits |
| the second comes before the first, while an earlier one runs | every store | 204 | 204 | 0, 1, 2 | not needed: the older one goes first |
| a hundred come while the first runs | every store | 204 | 204 | 1, 2, and so on to 101 | not needed, if all are handled within the deadline of each |
| the first takes longer than the deadline | every store | 503, 204 | 503, 204 | 1, 2 | not needed: the second keeps its place, and the retries are acknowledged |
| the first fails, and the second waits for it | every store | 500, 204 | 204 | 1, 2, 1 late | the first one handles the first message, after the second |
| the process drains while the second waits | every store | 204 | 204 | 1, 2 | not needed, if the first ends before the deadline of the second |
| a worker of a queue is killed while the first runs | a shared store | 204 | 204 | 1, 2, 1 late | not needed: the second runs when the \`lease\` of the dead worker ends, and the first when the queue gives its job out again |
| the process is killed while the first runs | a shared store | none, 204 | 503, 204 | 1, 2, 1 late | the first one handles the first message; the second runs when the \`lease\` of the dead process ends |
| the store is gone when the second comes, until after the deadline | a shared store | 503, 204 | 503, 204 | 1, 2 | not needed: both are handled when the store is back, and the retries are acknowledged |
`.trim();

export const promisesInTurn: readonly PromisedInTurn[] = tableInTurn.split('\n').slice(2).map(readRow);

function readRow(row: string): PromisedInTurn {
  const [happens = '', scope = '', first = '', second = '', runs = ''] = row.slice(2).split(' | ');
  return { happens, scope, stores: scopes[scope] ?? [], first, second, runs };
}
