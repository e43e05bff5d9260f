export const redisClients = ['node-redis 4', 'node-redis 5', 'node-redis 6', 'ioredis'] as const;
const sharedStores = [...redisClients, 'PostgreSQL', 'key-value'] as const;
export const storeNames = ['memory', ...sharedStores] as const;
export type StoreName = (typeof storeNames)[number];

export const scopes: Readonly<Record<string, readonly StoreName[]>> = {
  'every store': storeNames,
  'a shared store': sharedStores,
  memory: ['memory'],
  'Redis that keeps nothing on disk': redisClients,
};

/** What a receiver promises for one thing that happens. The guide shows it, and a test tries it with each store. */
export interface Promised {
  readonly happens: string;
  /** The name of the stores, and each of them. */
  readonly scope: string;
  readonly stores: readonly StoreName[];
  /** The responses to the first attempt and to the retries that it takes, or `none`. */
  readonly responses: readonly string[];
  /** How often the handler runs in all. */
  readonly runs: number;
  /** The response to a duplicate that comes at that moment, and how often the handler runs then in all. */
  readonly duplicate: { readonly response: string; readonly runs: number };
}

export const table = `
| what happens | store | responses | handler runs | duplicate; handler runs | the service's two retries |
|---|---|---|---|---|---|
| the handler fails once | every store | 500, 204 | 2 | 204; 2 | the first one handles the event |
| the handler fails each time | every store | 500, 500, 500 | 3 | 500; 4 | nothing: the service gives up |
| the handler takes longer than the deadline, and succeeds | every store | 503, 204 | 1 | 503; 1 | not needed: the handler continues, and a retry is acknowledged with it |
| the handler takes longer than the deadline, and fails | every store | 503, 204 | 2 | 503; 2 | the first one handles the event |
| the handler takes longer than the \`lease\`, and succeeds | a shared store | 503, 204 | 1 | 503; 1 | not needed: the receiver renews its claim |
| the response is lost after the handler has succeeded | every store | none, 204 | 1 | 204; 1 | not needed |
| the process drains while the handler runs | every store | 204 | 1 | 503; 1 | a delivery that comes while draining: the first one, at another process |
| the process is killed while the handler runs | a shared store | none, 503, 204 | 2 | 503; 2 | the first one after the \`lease\` of the dead process handles the event |
| the process is killed while the handler runs, and both retries come before its lease ends | a shared store | none, 503, 503 | 2 | 503; 2 | both get 503, and the event is handled when the lease ends |
| the process is killed while the handler runs | memory | none, 204 | 2 | none; 2 | the first one handles the event |
| the process is killed after the store has recorded the event, before the response | a shared store | none, 204 | 1 | 204; 1 | not needed |
| the process is killed after the store has recorded the event, before the response | memory | none, 204 | 2 | 204; 2 | they run the handler again, because the memory is gone |
| the store does not respond to the claim before the deadline | a shared store | 503, 204 | 1 | 503; 1 | the first one handles the event |
| the store does not respond when the handler has succeeded | a shared store | 204 | 1 | 503; 1 | not needed |
| the store is gone until after the deadline | a shared store | 503, 204 | 1 | 503; 1 | the first one handles the event |
| the store is gone until after the last retry, for less than the lease | a shared store | 503, 503, 503 | 1 | 503; 1 | all get 503, and the event is handled when the store is back |
| the store is killed and started again before the deadline | a shared store | 204 | 1 | 204; 1 | not needed |
| the store is gone when the handler has succeeded | a shared store | 204 | 1 | 503; 1 | not needed |
| the store is killed and started again while the handler runs | a shared store | 204 | 1 | 204; 1 | not needed |
| the store starts empty while the handler runs, and the claim is not renewed yet | Redis that keeps nothing on disk | 204 | 1 | 204; 2 | not needed, but a duplicate at another process runs the handler again |
| the store starts empty while the handler runs, and the claim has been renewed | Redis that keeps nothing on disk | 204 | 1 | 204; 1 | not needed |
| the store starts empty after the handler has succeeded | Redis that keeps nothing on disk | 204 | 1 | 204; 2 | not needed, but a duplicate runs the handler again |
| the connection breaks before the store's reply to the claim | a shared store | 204 | 1 | 204; 1 | not needed |
| the connection breaks before the store's reply to the record of the event | a shared store | 204 | 1 | 204; 1 | not needed |
`.trim();

export const promises: readonly Promised[] = table.split('\n').slice(2).map(readRow);

function readRow(row: string): Promised {
  const [happens = '', scope = '', responses = '', runs, duplicate = ''] = row.slice(2).split(' | ');
  const [duplicateResponse = '', duplicateRuns] = duplicate.split('; ');
  return {
    happens,
    scope,
    stores: scopes[scope] ?? [],
    responses: responses.split(', '),
    runs: Number(runs),
    duplicate: { response: duplicateResponse, runs: Number(duplicateRuns) },
  };
}
