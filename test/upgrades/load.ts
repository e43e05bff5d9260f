import { setTimeout as pause } from 'node:timers/promises';
import { apiKey, type ServedVersion } from './served-version.js';
import { phone } from './work-in-flight.js';

/** How long a caller waits between two calls, in milliseconds. */
const betweenCalls = 20;

/** What a replica responded to a call. */
export interface LoadResponse {
  readonly server: ServedVersion;
  /** `202`, or `503 store_unavailable`. */
  readonly text: string;
}

/** Callers that write messages and track events at each replica in turn, as behind a load balancer that repeats nothing. */
export class Load {
  /** The texts of the messages that a replica accepted. */
  readonly messages: string[] = [];
  /** The numbers of the orders whose events a replica accepted. */
  readonly orders: string[] = [];
  readonly responses: LoadResponse[] = [];
  #servers: readonly ServedVersion[];
  #calls = 0;
  #goesOn = true;
  readonly #callers: readonly Promise<void>[];

  constructor(...servers: readonly ServedVersion[]) {
    this.#servers = servers;
    this.#callers = [this.#call(), this.#call()];
  }

  /** From now on, calls these replicas. */
  spreadOver(...servers: readonly ServedVersion[]): void {
    this.#servers = servers;
  }

  /** What a replica has responded so far, each text once. */
  responsesOf(server: ServedVersion): readonly string[] {
    return [...new Set(this.responses.filter((each) => each.server === server).map(({ text }) => text))];
  }

  async end(): Promise<void> {
    this.#goesOn = false;
    await Promise.all(this.#callers);
  }

  async #call(): Promise<void> {
    while (this.#goesOn) {
      this.#calls += 1;
      const name = `number ${this.#calls}`;
      const server = this.#servers[this.#calls % this.#servers.length];
      if (server === undefined) throw new RangeError('There is no replica.');
      const isMessage = this.#calls % 3 > 0;
      const text = isMessage
        ? await respond(server, '/control/inbound-messages', { phone, body: name })
        : await respond(server, '/api/v1/events', {
            event: 'order_placed',
            phone,
            properties: { order: name },
          });
      this.responses.push({ server, text });
      if (text.startsWith('2')) (isMessage ? this.messages : this.orders).push(name);
      await pause(betweenCalls);
    }
  }
}

/** Calls a replica, and says what it responds. */
async function respond({ origin }: ServedVersion, path: string, body: object): Promise<string> {
  try {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { error }: { readonly error?: { readonly code?: string; readonly message?: string } } =
      await response.json();
    return [response.status, error?.code, error?.message].filter((part) => part !== undefined).join(' ');
  } catch (error) {
    return `no response: ${error}`;
  }
}
