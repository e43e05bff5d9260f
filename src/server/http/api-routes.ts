import type { AnyOperation, Operation, OperationRequest } from '../../contract/operation.js';
import { operations } from '../../contract/operations.js';
import { secretPrefix } from '../../contract/secret-prefix.js';
import { type Reply, successAnswer } from '../answers/answer.js';
import { faultHeader } from '../faults/request-faults.js';
import type { Services } from '../service/services.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { type Application, apiPrefix } from './application.js';
import { type Exchange, readBody } from './received-request.js';
import { readRequest } from './validation.js';

/** Serves the endpoints of the service, each with its rule. */
export function serveApi(application: Application): void {
  serveOperation(application, operations.contacts.upsert, async ({ contacts }, { body }) => {
    const { contact, created } = await contacts.upsert(body);
    return { outcome: created ? 'created' : 'updated', result: contact };
  });
  serveOperation(application, operations.contacts.find, async ({ contacts }, { query }) => ({
    outcome: 'found',
    result: await contacts.find(query.phone),
  }));
  serveOperation(application, operations.contacts.get, async ({ contacts }, { path }) => ({
    outcome: 'found',
    result: await contacts.get(path.id),
  }));
  serveOperation(application, operations.contacts.update, async ({ contacts }, { path, body }) => ({
    outcome: 'updated',
    result: await contacts.update(path.id, body),
  }));
  serveOperation(application, operations.contacts.delete, async ({ contacts }, { path }) => ({
    outcome: 'deleted',
    result: await contacts.delete(path.id),
  }));
  serveOperation(
    application,
    operations.transactional.send,
    async ({ transactional }, { body }, requestId) => ({
      outcome: 'sent',
      result: await transactional.send(body, requestId),
    }),
  );
  serveOperation(application, operations.events.track, async ({ events }, { body }, requestId) => ({
    outcome: 'accepted',
    result: await events.track(body, requestId),
  }));
  serveOperation(application, operations.webhooks.create, async ({ subscriptions }, { body }) => ({
    outcome: 'created',
    result: await subscriptions.create(body),
  }));
  serveOperation(application, operations.webhooks.list, async ({ subscriptions }) => ({
    outcome: 'listed',
    result: await subscriptions.list(),
  }));
  serveOperation(application, operations.webhooks.delete, async ({ subscriptions }, { path }) => ({
    outcome: 'deleted',
    result: await subscriptions.delete(path.id),
  }));
  serveOperation(application, operations.templates.list, async ({ templates }) => ({
    outcome: 'listed',
    result: await templates.list(),
  }));
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
  const perform = async (
    { id: requestId, request: { search }, parameters: path, body }: Exchange,
    workspace: LiveWorkspace,
  ) => {
    const { services, gaps } = workspace;
    try {
      const parts = readRequest(operation, { path, search, body }, gaps);
      const { outcome, result } = await rule(services, parts, requestId);
      return successAnswer(operation, outcome, result, gaps);
    } catch (error) {
      return application.refusal(error, gaps);
    }
  };
  /** Applies the rate limit, reads the request and runs the rule, with the faults of the request. */
  const answer = async (exchange: Exchange, workspace: LiveWorkspace) => {
    const { id: requestId, request } = exchange;
    const { services, gaps, requestFaults } = workspace;
    try {
      await services.rateLimit.admit();
      if ('body' in operation.request) exchange.body = await readBody(request, application.bodyLimit);
      const asked = request.header(faultHeaderName);
      return await requestFaults.around({ operation, requestId, asked }, () => perform(exchange, workspace));
    } catch (error) {
      return application.refusal(error, gaps);
    }
  };
  application.handle(
    operation.method,
    apiPrefix + operation.path,
    (exchange, workspace) => journaled(workspace, operation, exchange, () => answer(exchange, workspace)),
    application.gaps,
  );
}

/** Handles a request, and records it with its response in the workspace's journal. */
async function journaled(
  workspace: LiveWorkspace,
  operation: AnyOperation,
  exchange: Exchange,
  answer: () => Promise<Reply>,
): Promise<Reply> {
  const reply = await answer();
  const { id, request, body } = exchange;
  const { faults } = reply;
  workspace.context.record({
    type: 'request',
    at: workspace.clock.now(),
    requestId: id,
    operation: operation.name,
    method: operation.method,
    path: request.path + request.search,
    ...(body && { body }),
    ...(reply.status !== 'reset' && { status: reply.status }),
    ...(reply.status !== 'reset' && reply.body !== undefined && { answer: masked(reply.body) }),
    ...(faults && { faults }),
  });
  await workspace.sharing.written();
  return reply;
}

/** Matches a secret in a JSON response, including one that a fault cut off. */
const secretOf = new RegExp(`(${secretPrefix})[^"]*`, 'g');

/** The secret of a subscription is only where it signs: the journal outlives the subscription. */
function masked(answer: string): string {
  return answer.replaceAll(secretOf, '$1***');
}
