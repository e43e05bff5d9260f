import { signWebhook } from '../../webhooks/verification/sign.js';
import type { AttemptedDelivery } from '../deliveries/attempts.js';
import type { Attempt, AttemptResult } from '../deliveries/sender.js';
import type { DeliveryFault } from '../model/fault.js';
import type { WorkspaceContext } from '../service/context.js';
import { toMilliseconds } from '../time/duration.js';
import { driftedBody } from './drifted-body.js';
import { type Injection, type WorkspaceFaults, withoutLatencies } from './workspace-faults.js';

/** An attempt with faults: its content, and the function that sends it. */
interface FaultedAttempt {
  readonly attempt: Attempt;
  readonly secret: string;
  readonly send: (attempt: Attempt) => Promise<AttemptResult>;
}

/** Injects faults into a workspace's deliveries. */
export function createDeliveryFaults(
  { environment, record, work }: WorkspaceContext,
  rules: WorkspaceFaults,
  timeout: number,
) {
  /** The delivery of each subscription that waits until another one overtakes it, and what ends its wait. */
  const overtaken = new Map<string, () => void>();

  /** Makes an attempt with the faults of the rules. */
  async function inject(
    { delivery, secret }: AttemptedDelivery,
    attempt: Attempt,
    send: (attempt: Attempt) => Promise<AttemptResult>,
  ): Promise<AttemptResult> {
    if (!rules.concernDeliveries && overtaken.size === 0) return send(attempt);
    const injections = await rules.forDelivery(delivery);
    const { id: deliveryId, event, subscriptionId } = delivery;
    const at = environment.clock.now();
    for (const { fault } of injections) record({ type: 'fault', at, fault, event, deliveryId });
    for (const { fault } of injections) await wait(fault, subscriptionId);
    const startedAt = environment.clock.now();
    const other = withoutLatencies(injections);
    const faulted: FaultedAttempt = { attempt, secret, send };
    const result = await (other === undefined ? send(attempt) : sendFaulty(other, faulted));
    overtaken.get(subscriptionId)?.();
    return {
      startedAt,
      ...result,
      ...(injections.length > 0 && { faults: injections.map(({ fault }) => fault) }),
    };
  }

  /** Discards the delayed attempts before a restore. */
  function forget(): void {
    overtaken.clear();
  }

  /** Waits before the attempt. */
  async function wait(fault: DeliveryFault, subscriptionId: string): Promise<void> {
    if (fault.kind === 'latency') await work.pause(environment.clock, toMilliseconds(fault.duration));
    // If a delivery to the subscription already waits, this one overtakes it.
    if (fault.kind !== 'reorder' || overtaken.has(subscriptionId)) return;
    await work.waitFor((resume) => {
      const end = () => {
        cancelTimer();
        overtaken.delete(subscriptionId);
        resume();
      };
      const cancelTimer = environment.clock.setTimer(end, toMilliseconds(fault.atMost ?? '1m'));
      overtaken.set(subscriptionId, end);
    });
  }

  async function sendFaulty(
    { fault, drawn }: Injection<DeliveryFault>,
    faulted: FaultedAttempt,
  ): Promise<AttemptResult> {
    const { attempt, send } = faulted;
    if ('when' in fault && fault.when === 'after_receipt') await send(attempt);
    switch (fault.kind) {
      case 'latency':
      case 'reorder':
        return send(attempt);
      case 'status':
        return seen(fault.status);
      case 'reset':
        return { error: 'the connection was reset' };
      case 'stall':
        await work.pause(environment.clock, timeout);
        return { error: `no complete response within ${timeout / 1000} s` };
      case 'malformed_json':
        return sendSigned(attempt.body.slice(0, Math.floor(attempt.body.byteLength / 2)), faulted);
      case 'drift':
        return sendSigned(drifted(attempt.body, fault, drawn), faulted);
      case 'tamper':
        return sendTampered(fault.part ?? 'signature', faulted);
      case 'duplicate':
        return sendTwice(fault.concurrent ?? false, faulted);
    }
  }

  return { inject, forget };
}

export type DeliveryFaults = ReturnType<typeof createDeliveryFaults>;

function seen(status: number): AttemptResult {
  return status < 300 ? { status } : { status, error: `the receiver responded with ${status}` };
}

/** Sends another body, correctly signed. */
async function sendSigned(
  body: Uint8Array<ArrayBuffer>,
  { attempt, secret, send }: FaultedAttempt,
): Promise<AttemptResult> {
  const signature = signWebhook(body, secret);
  return { ...(await send({ ...attempt, body, signature })), signature };
}

/** Changes the last character of the signature, or adds a space to the end of the body, which JSON allows. */
async function sendTampered(
  part: 'signature' | 'body',
  { attempt, send }: FaultedAttempt,
): Promise<AttemptResult> {
  if (part === 'body') return send({ ...attempt, body: new Uint8Array([...attempt.body, 0x20]) });
  const last = attempt.signature.endsWith('0') ? '1' : '0';
  const signature = attempt.signature.slice(0, -1) + last;
  return { ...(await send({ ...attempt, signature })), signature };
}

async function sendTwice(concurrent: boolean, { attempt, send }: FaultedAttempt): Promise<AttemptResult> {
  const first = send(attempt);
  if (!concurrent) await first;
  await send(attempt);
  return first;
}

function drifted(
  body: Uint8Array<ArrayBuffer>,
  drift: Extract<DeliveryFault, { readonly kind: 'drift' }>,
  drawn: number,
): Uint8Array<ArrayBuffer> {
  const text = driftedBody(new TextDecoder().decode(body), drift, drawn);
  return text === undefined ? body : new TextEncoder().encode(text);
}
