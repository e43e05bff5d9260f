import { type Served, startServe } from '../../cli/served.js';

/** A replica that `serve --store` runs in this process, until the test is over. */
export interface ServedReplica extends Omit<Served, 'ask'> {
  /** Asks with the replica's key: a GET, or a POST if there is a body. */
  ask(
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly body: unknown }>;
}

export async function serveReplica(words: readonly string[]): Promise<ServedReplica> {
  const served = await startServe(words);
  return {
    ...served,
    async ask(path, sent) {
      const response = await served.ask(path, sent);
      const { status, headers } = response;
      const isJson = headers.get('content-type')?.startsWith('application/json') === true;
      const body: unknown = isJson ? await response.json() : await response.text();
      return { status, headers, body };
    },
  };
}
