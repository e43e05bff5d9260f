import { createRedactor } from '../../contract/redaction.js';
import { signTestDelivery, type TestDelivery, type WebhookEventType } from '../../webhooks/index.js';
import { reasonOf } from '../running-server/reason-of-failure.js';
import { CommandFailure } from '../terminal/command-failure.js';
import { messageOf } from '../terminal/message-of.js';
import { printable } from '../terminal/printable.js';
import { styled, type Terminal } from '../terminal/terminal.js';
import { UsageError } from '../terminal/usage-error.js';
import { withoutQuery } from '../terminal/without-query.js';
import { isSuccess, postDelivery, type ReceiverAnswer, receiverDeadline } from './post-delivery.js';
import { receiverUrl } from './receiver-url.js';
import { webhookSecret } from './webhook-secret.js';

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
  const secret = webhookSecret(terminal, options.secret);
  const redact = createRedactor(() => [secret]);
  const delivery = signed(secret, options);
  const { status, text } = await send(delivery, to);
  const answer = redact(text);
  const isTaken = isSuccess(status);
  if (json) {
    const { signature } = delivery;
    terminal.print(JSON.stringify({ event, url: withoutQuery(to), signature, status, answer }));
  } else {
    const color = isTaken ? 'green' : 'red';
    const meaning = isTaken ? '' : ', which is not a 2xx: the service would retry';
    terminal.print(`${event} to ${withoutQuery(to)}: ${styled(terminal, color, String(status))}${meaning}`);
    for (const line of answer.split('\n')) if (line.trim() !== '') terminal.print(`  ${printable(line)}`);
  }
  return isTaken ? 0 : 1;
}

function signed(secret: string, { event, phone, body }: SampleOptions): TestDelivery {
  const data = { ...(phone !== undefined && { phone }), ...(body !== undefined && { body }) };
  try {
    return signTestDelivery({ secret, event, data });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

async function send(delivery: TestDelivery, to: string): Promise<ReceiverAnswer> {
  const signal = AbortSignal.timeout(receiverDeadline);
  try {
    return await postDelivery(to, delivery, signal);
  } catch (error) {
    const where = withoutQuery(to);
    throw new CommandFailure(
      signal.aborted
        ? `The receiver at ${where} did not answer within ${receiverDeadline / 1_000} s. The service would retry.`
        : `The receiver at ${where} did not answer (${printable(reasonOf(error))}). Is it running?`,
    );
  }
}
