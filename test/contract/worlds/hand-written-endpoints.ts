import { getResponse, http, type RequestHandler } from 'msw';
import { operationCases } from '../../operations/cases.js';
import { refuse } from '../../operations/operation-case.js';
import type { HandWrittenState } from './hand-written-state.js';

/** Document §5, then §4: the key opens a workspace, and the workspace answers. */
export function handWrittenService(
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

/** Document §4, endpoint by endpoint. */
function endpoints(baseUrl: string, state: HandWrittenState): RequestHandler[] {
  return operationCases.map(([, { endpoint, byHand }]) => {
    const [method, path] = endpoint.split(' ');
    return http.all<{ id: string }>(`${baseUrl}${path}`, ({ request, params: { id } }) =>
      request.method === method ? byHand({ state, request, id }) : undefined,
    );
  });
}
