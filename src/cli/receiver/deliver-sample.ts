import { createRedactor } from '../../contract/redaction.js';
import { signTestDelivery, type WebhookEventType } from '../../webhooks/index.js';
import { CommandFailure, usable } from '../terminal/failures.js';
import { printable, withoutQuery } from '../terminal/printable.js';
import { styled, type Terminal } from '../terminal/terminal.js';
import { postDelivery, receiverDeadline, receiverUrl, webhookSecret } from './local-receiver.js';

interface SampleOptions {
  readonly event: WebhookEventType;
  readonly to: string;
  readonly secret?: string;
  readonly phone?: string;
  readonly body?: string;
  readonly json: boolean;
}

/** Signs a delivery with sample data, sends it to a receiver once, and prints the answer. */
export async function deliverSample(terminal: Terminal, options: SampleOptions): Promise<number> {
  const { event, json } = options;
  const to = receiverUrl('--to', options.to);
  const url = withoutQuery(to);
  const secret = webhookSecret(terminal, options.secret);
  const redact = createRedactor(() => [secret]);
  const { phone, body: message } = options;
  const data = { ...(phone !== undefined && { phone }), ...(message !== undefined && { body: message }) };
  const { body, signature = '' } = usable(() => signTestDelivery({ secret, event, data }));
  const signal = AbortSignal.timeout(receiverDeadline);
  const outcome = await postDelivery(to, { body: new TextEncoder().encode(body), signature }, signal);
  if (!('status' in outcome)) {
    throw new CommandFailure(
      signal.aborted
        ? `The receiver at ${url} did not answer within ${receiverDeadline / 1_000} s. The service would retry.`
        : `The receiver at ${url} did not take the delivery: ${printable(outcome.error)}. Is it running?`,
    );
  }
  const { status, error } = outcome;
  const isTaken = error === undefined;
  const answer = redact(outcome.answer);
  if (json) {
    terminal.print(JSON.stringify({ event, url, signature, status, answer }));
  } else {
    const meaning = isTaken ? '' : ', which is not a 2xx: the service would retry';
    terminal.print(
      `${event} to ${url}: ${styled(terminal, isTaken ? 'green' : 'red', String(status))}${meaning}`,
    );
    for (const line of answer.split('\n')) if (line.trim() !== '') terminal.print(`  ${printable(line)}`);
  }
  return isTaken ? 0 : 1;
}
