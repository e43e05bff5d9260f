import type { AnyOperation, Operation, OperationRequest } from '../../contract/operation.js';
import { operations } from '../../contract/operations.js';
import { secretPrefix } from '../../contract/secret-prefix.js';
import { faultHeader } from '../faults/request-faults.js';
import { type HttpResponse, type Reply, successResponse } from '../responses/response.js';
import type { Services } from '../service/services.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { type Application, apiPrefix, bearerKey } from './application.js';
import { keptHeaders } from './kept-headers.js';
import { type Exchange, readBody, readRequest } from './server-request.js';

/** Serves the endpoints of the service, each with its rule and the outcome of the rule. */
export function serveApi(application: Application): void {
  const { contacts, transactional, events, webhooks, templates } = operations;
  serveOperation(application, contacts.upsert, async (services, { body }) => {
    const { contact, created } = await services.contacts.upsert(body);
    return { outcome: created ? 'created' : 'updated', result: contact };
  });
  const serve = <Request extends OperationRequest, Result, Outcome extends string>(
    operation: Operation<Request, Result, Outcome>,
    outcome: Outcome,
    rule: (services: Services, request: Request, requestId: string) => Promise<Result>,
  ) =>
    serveOperation(application, operation, async (...given) => ({ outcome, result: await rule(...given) }));
  serve(contacts.find, 'found', (services, { query }) => services.contacts.find(query.phone));
  serve(contacts.get, 'found', (services, { path }) => services.contacts.get(path.id));
  serve(contacts.update, 'updated', (services, { path, body }) => services.contacts.update(path.id, body));
  serve(contacts.delete, 'deleted', (services, { path }) => services.contacts.delete(path.id));
  serve(transactional.send, 'sent', (services, { body }, requestId) =>
    services.transactional.send(body, requestId),
  );
  serve(events.track, 'accepted', (services, { body }, requestId) => services.events.track(body, requestId));
  serve(webhooks.create, 'created', (services, { body }) => services.subscriptions.create(body));
  serve(webhooks.list, 'listed', (services) => services.subscriptions.list());
  serve(webhooks.delete, 'deleted', (services, { path }) => services.subscriptions.delete(path.id));
  serve(templates.list, 'listed', (services) => services.templates.list());
}

/** The outcome of an operation's rule: which success, and its result. */
export interface Success<Outcome extends string, Result> {
  readonly outcome: Outcome;
  readonly result: Result;
}

const faultHeaderName = faultHeader.toLowerCase();

/**
 * Serves an operation of the contract with a rule of the service, for requests with a valid key. Records each request in the
 * journal, and injects faults.
 */
export function serveOperation<Request extends OperationRequest, Result, Outcome extends string>(
  application: Application,
  operation: Operation<Request, Result, Outcome>,
  rule: (services: Services, request: Request, requestId: string) => Promise<Success<Outcome, Result>>,
): void {
  /** Runs the rule. */
  const perform = async (exchange: Exchange, { services, settings }: LiveWorkspace) => {
    const gaps = settings.now.specGaps;
    try {
      const parts = readRequest(operation, exchange, gaps);
      const { outcome, result } = await rule(services, parts, exchange.id);
      return successResponse(operation, outcome, result, gaps);
    } catch (error) {
      return application.refusal(error, gaps);
    }
  };
  /** Applies the rate limit, reads the request and runs the rule, with the faults of the request. */
  const respond = async (exchange: Exchange, workspace: LiveWorkspace) => {
    const { id: requestId, request } = exchange;
    const { services, settings, requestFaults } = workspace;
    try {
      await services.rateLimit.admit();
      if ('body' in operation.request) exchange.body = await readBody(request, application.bodyLimit);
      const asked = request.header(faultHeaderName);
      return await requestFaults.around({ operation, requestId, asked }, () => perform(exchange, workspace));
    } catch (error) {
      return application.refusal(error, settings.now.specGaps);
    }
  };
  application.handle(
    operation.method,
    apiPrefix + operation.path,
    (exchange, workspace) => journaled(workspace, operation, exchange, () => respond(exchange, workspace)),
    application.gaps,
  );
}

/** Handles a request, and records it with its response in the workspace's journal. */
async function journaled(
  workspace: LiveWorkspace,
  operation: AnyOperation,
  exchange: Exchange,
  respond: () => Promise<Reply>,
): Promise<Reply> {
  const reply = await respond();
  const { id, request, body } = exchange;
  const { faults } = reply;
  workspace.context.record({
    type: 'request',
    at: workspace.clock.now(),
    requestId: id,
    operation: operation.name,
    method: operation.method,
    path: request.path + request.search,
    headers: keptHeaders(request.headers(), bearerKey(request.header('authorization')) ?? ''),
    ...(body && { body }),
    ...(reply.status !== 'reset' && respondedWith(operation, reply)),
    ...(faults && { faults }),
  });
  return reply;
}

function respondedWith(operation: AnyOperation, { status, headers, body }: HttpResponse) {
  return {
    status,
    responseHeaders: Object.entries(headers),
    ...(body !== undefined && { responseBody: masked(operation, body) }),
  };
}

/** Matches a secret in a JSON response, including one that a fault cut off. */
const secretOf = new RegExp(`(${secretPrefix})[^"]*`, 'g');

/**
 * The secret of a subscription is only where it signs: the journal outlives the subscription. In the responses of other operations, a text
 * that begins like a secret is a user's.
 */
function masked(operation: AnyOperation, response: string): string {
  return operation.name.startsWith('webhooks.') ? response.replaceAll(secretOf, '$1***') : response;
}
