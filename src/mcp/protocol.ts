import { isObject } from '../foundation/is-object.js';

/**
 * The part of the Model Context Protocol that a server of tools needs: JSON-RPC 2.0, a message per line. See
 * https://modelcontextprotocol.io/specification.
 */

/**
 * The known revisions, newest first. What the tools use is the same in all of them. 2025-03-26 is left out, because only that one
 * demands that a server takes several messages at once.
 */
export const revisions = ['2025-11-25', '2025-06-18', '2024-11-05'];

const errorCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
};

/** A call that the protocol refuses. An error of a tool is a result instead, so that the agent reads it. */
export class InvalidParams extends Error {
  static {
    this.prototype.name = 'InvalidParams';
  }
}

type Id = string | number;

/** The responses to requests, by method. A response may throw `InvalidParams`. */
export type Methods = Readonly<
  Record<string, (params: Readonly<Record<string, unknown>>, signal: AbortSignal) => object | Promise<object>>
>;

/**
 * Opens one client's connection.
 *
 * @param send - Gets each message as a line without its end.
 */
export function connect(methods: Methods, send: (line: string) => void) {
  const running = new Map<Id, AbortController>();
  const write = (message: object) => send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const fail = (id: Id | null, code: number, message: string) => write({ id, error: { code, message } });
  const response = async (id: Id, name: string, params: object) => {
    const controller = new AbortController();
    running.set(id, controller);
    const { signal } = controller;
    try {
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (method === undefined)
        return fail(id, errorCodes.methodNotFound, `This server has no method ${name}.`);
      const result = await method(Object(params), signal);
      if (!signal.aborted) write({ id, result });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof InvalidParams) fail(id, errorCodes.invalidParams, error.message);
      else fail(id, errorCodes.internalError, 'The server failed.');
    } finally {
      running.delete(id);
    }
  };
  return {
    /** Handles a line. The responses can come in another order than the requests. */
    async receive(line: string): Promise<void> {
      if (line.trim() === '') return;
      let message: unknown;
      try {
        message = JSON.parse(line);
      } catch {
        return fail(null, errorCodes.parseError, 'The message is not JSON.');
      }
      if (!isObject(message) || message.jsonrpc !== '2.0') {
        return fail(null, errorCodes.invalidRequest, 'The message is not JSON-RPC 2.0.');
      }
      const { id, method, params } = message;
      // The server sends no requests, so a response from it means nothing.
      if (typeof method !== 'string') return;
      if (typeof id === 'string' || typeof id === 'number') await response(id, method, Object(params));
      else if (method === 'notifications/cancelled') running.get(Object(params).requestId)?.abort();
    },

    /** Ends the calls in progress. Their responses are not sent. */
    close(): void {
      for (const controller of running.values()) controller.abort();
    },
  };
}
