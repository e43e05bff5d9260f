import { isObject } from '../foundation/is-object.js';

/**
 * The part of the Model Context Protocol that a server of tools needs: JSON-RPC 2.0, a message per line. See
 * https://modelcontextprotocol.io/specification.
 */

/**
 * The known revisions, newest first. What the tools use is the same in all of them. 2025-03-26 is left out, because only that one
 * demands that a server takes several messages at once.
 */
const revisions = ['2025-11-25', '2025-06-18', '2024-11-05'];

const errorCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
};

/** An error of the protocol. An error of a tool is a result instead, so that the agent reads it. */
export class ProtocolError extends Error {
  static {
    this.prototype.name = 'ProtocolError';
  }

  readonly code: keyof typeof errorCodes;

  constructor(code: keyof typeof errorCodes, message: string) {
    super(message);
    this.code = code;
  }
}

/** What a server offers. */
export interface Offer {
  readonly serverInfo: { readonly name: string; readonly title: string; readonly version: string };
  /** What an agent reads once, before the tools. */
  readonly instructions: string;
  /** The tools as `tools/list` returns them. */
  readonly tools: readonly object[];
  /**
   * Runs a tool.
   *
   * @throws ProtocolError for an unknown tool.
   */
  call(name: string, input: unknown, signal: AbortSignal): Promise<object>;
}

type Id = string | number;

type Parameters = Readonly<Record<string, unknown>>;

/** One client's connection. */
export class Connection {
  readonly #offer: Offer;
  readonly #send: (line: string) => void;
  readonly #running = new Map<Id, AbortController>();

  /** @param send - Gets each message as a line without its end. */
  constructor(offer: Offer, send: (line: string) => void) {
    this.#offer = offer;
    this.#send = send;
  }

  /** Handles a line. The answers can come in another order than the requests. */
  async receive(line: string): Promise<void> {
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#fail(null, new ProtocolError('parseError', 'The message is not JSON.'));
    }
    if (!isObject(message) || message.jsonrpc !== '2.0') {
      return this.#fail(null, new ProtocolError('invalidRequest', 'The message is not JSON-RPC 2.0.'));
    }
    const { id, method, params } = message;
    // The server sends no requests, so a response answers nothing.
    if (typeof method !== 'string') return;
    if (typeof id === 'string' || typeof id === 'number') await this.#answer(id, method, Object(params));
    else if (method === 'notifications/cancelled') this.#running.get(Object(params).requestId)?.abort();
  }

  /** Ends the calls in progress. Their answers are not sent. */
  close(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  async #answer(id: Id, method: string, params: Parameters): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    const { signal } = controller;
    try {
      const result = await this.#resultOf(method, params, signal);
      if (!signal.aborted) this.#write({ id, result });
    } catch (error) {
      if (!signal.aborted) this.#fail(id, error);
    } finally {
      this.#running.delete(id);
    }
  }

  async #resultOf(method: string, params: Parameters, signal: AbortSignal): Promise<object> {
    const { serverInfo, instructions, tools } = this.#offer;
    switch (method) {
      case 'initialize': {
        const wanted = revisions.find((revision) => revision === params.protocolVersion);
        const protocolVersion = wanted ?? revisions[0];
        return { protocolVersion, capabilities: { tools: {} }, serverInfo, instructions };
      }
      case 'ping':
        return {};
      case 'tools/list':
        return { tools };
      case 'tools/call':
        if (typeof params.name === 'string')
          return this.#offer.call(params.name, params.arguments ?? {}, signal);
        throw new ProtocolError('invalidParams', 'The name of the tool is missing.');
      default:
        throw new ProtocolError('methodNotFound', `This server has no method ${method}.`);
    }
  }

  #fail(id: Id | null, error: unknown): void {
    const { code, message } =
      error instanceof ProtocolError ? error : new ProtocolError('internalError', 'The server failed.');
    this.#write({ id, error: { code: errorCodes[code], message } });
  }

  #write(message: object): void {
    this.#send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}
