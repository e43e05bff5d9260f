import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** What the service does with the requests of a phone: accepts them, cuts their connections, holds them, or has no quota for them. */
export type Treatment = 'accept' | 'cut' | 'hold' | 'no quota';

/** The service, as far as sends and upserts need it. */
export class Service {
  origin = '';
  readonly #phones: string[] = [];
  readonly #treatments = new Map<string, Treatment>();
  readonly #held: (() => void)[] = [];
  readonly #server = createServer(async (request, response) => {
    const { phone }: { readonly phone: string } = JSON.parse(await text(request));
    this.#phones.push(phone);
    const treatment = this.#treatments.get(phone) ?? 'accept';
    const accept = () =>
      respond(response, 200, { success: true, id: `contact_${phone}`, properties: { phone } });
    if (treatment === 'cut') request.socket.destroy();
    else if (treatment === 'hold') this.#held.push(accept);
    else if (treatment === 'accept') accept();
    else respond(response, 402, { error: { code: 'quota_exceeded', message: 'No conversations are left.' } });
  });

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    this.origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  /** From now on, treats the requests of a phone in this way. */
  treat(phone: string, treatment: Treatment): void {
    this.#treatments.set(phone, treatment);
  }

  acceptAll(): void {
    this.#treatments.clear();
  }

  /** Begins to count anew. */
  forget(): void {
    this.#phones.length = 0;
  }

  /** Accepts the latest request that is held. */
  release(): void {
    this.#held.pop()?.();
  }

  requestsOf(phone: string): number {
    return this.#phones.filter((each) => each === phone).length;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

function respond(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
