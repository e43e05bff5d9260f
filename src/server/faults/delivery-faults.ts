import { signWebhook } from '../../webhooks/verification/sign.js';
import type { Attempts, DeliveryAttempt } from '../deliveries/attempts.js';
import type { AttemptResult } from '../deliveries/sender.js';
import type { DeliveryFault } from '../model/fault.js';
import type { WorkspaceContext } from '../service/context.js';
import { toMilliseconds } from '../time/duration.js';
import { driftedBody } from './drifted-body.js';
import { type Injection, type WorkspaceFaults, withoutLatencies } from './workspace-faults.js';

/** Sends an attempt. */
type Send = Attempts['make'];

/** Injects faults into a workspace's deliveries. */
export class DeliveryFaults {
  readonly #context: WorkspaceContext;
  readonly #rules: WorkspaceFaults;
  readonly #timeout: number;
  /** The delivery of each subscription that waits until another one overtakes it, and what ends its wait. */
  readonly #overtaken = new Map<string, () => void>();

  /** @param timeout - The timeout of an attempt, in milliseconds. */
  constructor(context: WorkspaceContext, rules: WorkspaceFaults, timeout: number) {
    this.#context = context;
    this.#rules = rules;
    this.#timeout = timeout;
  }

  /** Makes an attempt with the faults of the rules. */
  async inject(attempt: DeliveryAttempt, send: Send): Promise<AttemptResult> {
    const { environment, record } = this.#context;
    const { delivery } = attempt;
    if (!this.#rules.concernDeliveries && this.#overtaken.size === 0) return send(attempt);
    const injections = await this.#rules.forDelivery(delivery);
    const { id: deliveryId, event, subscriptionId } = delivery;
    const at = environment.clock.now();
    for (const { fault } of injections) record({ type: 'fault', at, fault, event, deliveryId });
    for (const { fault } of injections) await this.#wait(fault, subscriptionId);
    const startedAt = environment.clock.now();
    const other = withoutLatencies(injections);
    const result = await (other === undefined ? send(attempt) : this.#sendFaulty(other, attempt, send));
    this.#overtaken.get(subscriptionId)?.();
    return {
      startedAt,
      ...result,
      ...(injections.length > 0 && { faults: injections.map(({ fault }) => fault) }),
    };
  }

  /** Discards the delayed attempts before a restore. */
  forget(): void {
    this.#overtaken.clear();
  }

  /** Waits before the attempt. */
  async #wait(fault: DeliveryFault, subscriptionId: string): Promise<void> {
    const { environment, work } = this.#context;
    if (fault.kind === 'latency') await work.pause(environment.clock, toMilliseconds(fault.duration));
    // If a delivery to the subscription already waits, this one overtakes it.
    if (fault.kind !== 'reorder' || this.#overtaken.has(subscriptionId)) return;
    await work.waitFor((resume) => {
      const end = () => {
        cancelTimer();
        this.#overtaken.delete(subscriptionId);
        resume();
      };
      const cancelTimer = environment.clock.setTimer(end, toMilliseconds(fault.atMost ?? '1m'));
      this.#overtaken.set(subscriptionId, end);
    });
  }

  async #sendFaulty(
    { fault, drawn }: Injection<DeliveryFault>,
    attempt: DeliveryAttempt,
    send: Send,
  ): Promise<AttemptResult> {
    const { environment, work } = this.#context;
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
        await work.pause(environment.clock, this.#timeout);
        return { error: `no complete response within ${this.#timeout / 1000} s` };
      case 'malformed_json':
        return sendSigned(attempt.body.slice(0, Math.floor(attempt.body.byteLength / 2)), attempt, send);
      case 'drift':
        return sendSigned(drifted(attempt.body, fault, drawn), attempt, send);
      case 'tamper':
        return sendTampered(fault.part ?? 'signature', attempt, send);
      case 'duplicate':
        return sendTwice(fault.concurrent ?? false, attempt, send);
    }
  }
}

function seen(status: number): AttemptResult {
  return status < 300 ? { status } : { status, error: `the receiver responded with ${status}` };
}

/** Sends another body, correctly signed. */
async function sendSigned(
  body: Uint8Array<ArrayBuffer>,
  attempt: DeliveryAttempt,
  send: Send,
): Promise<AttemptResult> {
  const signature = signWebhook(body, attempt.secret);
  return { ...(await send({ ...attempt, body, signature })), signature };
}

/** Changes the last character of the signature, or adds a space to the end of the body, which JSON allows. */
async function sendTampered(
  part: 'signature' | 'body',
  attempt: DeliveryAttempt,
  send: Send,
): Promise<AttemptResult> {
  if (part === 'body') return send({ ...attempt, body: new Uint8Array([...attempt.body, 0x20]) });
  const last = attempt.signature.endsWith('0') ? '1' : '0';
  const signature = attempt.signature.slice(0, -1) + last;
  return { ...(await send({ ...attempt, signature })), signature };
}

async function sendTwice(concurrent: boolean, attempt: DeliveryAttempt, send: Send): Promise<AttemptResult> {
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
