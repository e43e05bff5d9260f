import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Responds to the request of this number, counted from 1, well or badly. */
export type Behaviour = (response: ServerResponse, request: ReceivedRequest, number: number) => void;

/** Responds with a status, a body and headers; JSON unless the body is a string. */
export function reply(
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Behaviour {
  return (response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };
}

/** One behaviour for each request in turn; the last one stays. */
export function inTurn(...behaviours: readonly Behaviour[]): Behaviour {
  return (response, request, number) =>
    behaviours[Math.min(number, behaviours.length) - 1]?.(response, request, number);
}

/** The ways in which a request that arrived can go without a proper response. */
export const faults = {
  reset: (response) => response.socket?.resetAndDestroy(),
  stall: () => {},
  stallMidBody: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"id":');
  },
  dropMidBody: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"id":', () => response.socket?.destroy());
  },
} satisfies Record<string, Behaviour>;
