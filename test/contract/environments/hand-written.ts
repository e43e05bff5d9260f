import { getResponse, http, type RequestHandler } from 'msw';
import { operationCases } from '../../operations/cases.js';
import { refuse } from '../../operations/operation-case.js';
import type { CreateEnvironment } from '../environment.js';
import { HandWrittenDeliveries } from './hand-written-deliveries.js';
import { HandWrittenState } from './hand-written-state.js';
import { intercept, interceptedReceiver } from './interception.js';

/**
 * The service as read from its document alone, in plain literals: nothing here knows src/. Where the
 * document shows nothing, it chooses otherwise than the reference server does, so that the SDK must cope with both.
 */
export const createHandWrittenEnvironment: CreateEnvironment = async (options) => {
  const baseUrl = 'https://api.example.test/api';
  const apiKey = 'key_of_the_hand_written';
  const otherApiKey = 'key_of_another_workspace';
  const state = new HandWrittenState(options);
  const deliveries = new HandWrittenDeliveries(state);
  const { receiver, handler, release } = interceptedReceiver();
  const workspaces = new Map([
    [apiKey, state],
    [otherApiKey, new HandWrittenState({})],
  ]);
  const interception = intercept([handWrittenService(baseUrl, workspaces), handler]);
  return {
    baseUrl,
    apiKey,
    otherApiKey,
    receiver,
    async inboundMessage(message) {
      deliveries.messageReceived(message);
    },
    settled: () => deliveries.settled(),
    advance: (milliseconds) => deliveries.advance(milliseconds),
    async close() {
      release();
      await deliveries.settled();
      interception.close();
    },
  };
};

/** §5, then §4: the key opens a workspace, and the workspace responses. */
function handWrittenService(
  baseUrl: string,
  workspaces: ReadonlyMap<string, HandWrittenState>,
): RequestHandler {
  return http.all(`${baseUrl}/*`, ({ request }) => {
    const [scheme, key = ''] = request.headers.get('authorization')?.split(' ') ?? [];
    const workspace = workspaces.get(key);
    // What a missing key gives is not shown; here a bare 403.
    if (scheme !== 'Bearer' || !workspace) return refuse(403);
    const sendsBody = request.method === 'POST' || request.method === 'PUT';
    if (sendsBody && request.headers.get('content-type') !== 'application/json') return refuse(415);
    return getResponse(endpoints(baseUrl, workspace), request);
  });
}

/** §4, endpoint by endpoint. */
function endpoints(baseUrl: string, state: HandWrittenState): RequestHandler[] {
  return operationCases.map(([, { endpoint, byHand }]) => {
    const [method, path] = endpoint.split(' ');
    return http.all<{ id: string }>(`${baseUrl}${path}`, ({ request, params: { id } }) =>
      request.method === method ? byHand({ state, request, id }) : undefined,
    );
  });
}
