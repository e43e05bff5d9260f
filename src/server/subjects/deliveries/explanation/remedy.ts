import type { RequestFault } from '../../../model/fault.js';
import type { RequestEntry } from '../../../model/journal-entry.js';
import { isBuiltInReceiver } from '../../../model/receiver.js';
import type { Remedy } from '../../../model/remedy.js';
import type { LiveWorkspace } from '../../../workspace/live-workspace.js';
import type { DeliveryEvidence } from './evidence.js';
import { ruleOf } from './injected.js';

/** Removes a reason that is in the workspace itself. */
interface Mending {
  readonly words: string;
  readonly request: Remedy['requests'][number];
}

/** Returns the remedy of a delivery that was not acknowledged. Undefined if its reason is in the receiver or in the network. */
export function remedyOfDelivery(evidence: DeliveryEvidence): Remedy | undefined {
  const { delivery, isFrozen } = evidence;
  const { id, status, dueAt, attempts } = delivery;
  if (status === 'delivered' || status === 'cancelled' || attempts.length === 0) return undefined;
  const mending = mendingOfDelivery(evidence);
  if (mending === undefined) return undefined;
  const { words, request } = mending;
  if (status === 'failed') {
    const again = { method: 'POST', path: `/control/deliveries/${id}/redeliver` };
    return { label: `${words} and redeliver`, requests: [request, again] };
  }
  if (!isFrozen || dueAt === undefined) return { label: `${words}; the retry follows`, requests: [request] };
  const advance = { method: 'POST', path: '/control/clock/set', body: { to: dueAt } };
  return { label: `${words} and advance to the retry`, requests: [request, advance] };
}

function mendingOfDelivery(evidence: DeliveryEvidence): Mending | undefined {
  const { delivery, receiverMode } = evidence;
  const faults = delivery.attempts.at(-1)?.faults ?? [];
  const rule = faults.map((fault) => ruleOf(fault, evidence)).find((found) => found !== undefined);
  if (rule !== undefined) return endOf(rule.id);
  if (!isBuiltInReceiver(delivery.url) || receiverMode === 'verify') return undefined;
  return {
    words: 'Let the built-in receiver accept',
    request: { method: 'PUT', path: '/control/receiver', body: { mode: 'verify' } },
  };
}

/** How many sends a remedy restores. */
const restored = 100;

/** Returns the remedy of a request that failed. Undefined if the request itself is the reason, or was carried out. */
export async function remedyOfRequest(live: LiveWorkspace, entry: RequestEntry): Promise<Remedy | undefined> {
  const { method, path, status = 0, faults = [] } = entry;
  const isRefused = status >= 400 || status === 0;
  const body = jsonIn(entry);
  if (!isRefused || body === undefined || faults.some(wasCarriedOut)) return undefined;
  const mending = await mendingOfRequest(live, entry, body);
  if (mending === undefined) return undefined;
  return { label: `${mending.words} and send again`, requests: [mending.request, { method, path, body }] };
}

function jsonIn({ body }: RequestEntry): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

const wasCarriedOut = (fault: RequestFault) => 'when' in fault && fault.when === 'after_commit';

async function mendingOfRequest(
  { context: { store }, faults }: LiveWorkspace,
  entry: RequestEntry,
  body: unknown,
): Promise<Mending | undefined> {
  const { operation, status } = entry;
  const applied = (entry.faults ?? []).map((fault) => JSON.stringify(fault));
  const rule = faults
    .list()
    .find(
      ({ rule }) =>
        [operation, 'any'].includes(String(rule.operation)) && applied.includes(JSON.stringify(rule.fault)),
    );
  if (rule !== undefined) return endOf(rule.id);
  if (operation !== 'transactional.send') return undefined;
  if (status === 402) {
    const { quota, addOnCredits } = await store.sends.readQuota();
    if (quota + addOnCredits > 0) return undefined;
    const request = { method: 'PUT', path: '/control/quota', body: { quota: restored } };
    return { words: `Restore ${restored} sends`, request };
  }
  if (status !== 422) return undefined;
  const template = await store.templates.find(String(Object(body).templateId));
  if (template === undefined || template.status === 'approved') return undefined;
  return {
    words: `${template.status === 'paused' ? 'Resume' : 'Approve'} the template`,
    request: {
      method: 'PUT',
      path: `/control/templates/${encodeURIComponent(template.id)}`,
      body: { status: 'approved' },
    },
  };
}

function endOf(ruleId: string): Mending {
  return { words: 'End the fault', request: { method: 'DELETE', path: `/control/faults/${ruleId}` } };
}
