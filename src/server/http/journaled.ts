import type { AnyOperation } from '../../contract/operation.js';
import type { Reply } from '../answers/answer.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import type { Exchange } from './exchange.js';

/** Has a request answered, and notes it with its answer in the workspace's journal. */
export async function journaled(
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
    ...(reply.status !== 'reset' && reply.body !== undefined && { answer: reply.body }),
    ...(faults && { faults }),
  });
  return reply;
}
