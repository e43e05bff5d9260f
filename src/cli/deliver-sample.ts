import { createRedactor } from '../contract/redaction.js';
import { signTestDelivery, type TestDelivery, type WebhookEventType } from '../webhooks/index.js';
import { CommandFailure } from './command-failure.js';
import { messageOf } from './message-of.js';
import { printable } from './printable.js';
import { reasonOf } from './reason-of-failure.js';
import { styled, type Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { webhookSecret } from './webhook-secret.js';
import { withoutQuery } from './without-query.js';

interface SampleOptions {
  readonly event: WebhookEventType;
  readonly to: string;
  readonly secret?: string;
  readonly phone?: string;
  readonly body?: string;
  readonly json: boolean;
}

/** How long a receiver has, as with the service (document §6). In milliseconds. */
const deadline = 5_000;

/** More of an answer is not shown. */
const longestAnswer = 4_096;

/** Signs a delivery with sample data, sends it to a receiver once, and prints the answer. */
export async function deliverSample(terminal: Terminal, options: SampleOptions): Promise<number> {
  const { event, to, json } = options;
  if (!/^https?:\/\//i.test(to) || !URL.canParse(to)) {
    throw new UsageError('--to must be a URL that begins with http:// or https://.');
  }
  const secret = webhookSecret(terminal, options.secret);
  const redact = createRedactor(() => [secret]);
  const delivery = signed(secret, options);
  const { status, text } = await send(delivery, to);
  const answer = redact(text.slice(0, longestAnswer));
  const isTaken = status >= 200 && status < 300;
  if (json) {
    const { signature } = delivery;
    terminal.print(JSON.stringify({ event, url: withoutQuery(to), signature, status, answer }));
  } else {
    const color = isTaken ? 'green' : 'red';
    const meaning = isTaken ? '' : ', which is not a 2xx: the service would try again';
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

async function send(
  { bytes, headers }: TestDelivery,
  to: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const signal = AbortSignal.timeout(deadline);
  try {
    // A redirect is an answer to print, like any other.
    const response = await fetch(to, { method: 'POST', headers, body: bytes, redirect: 'manual', signal });
    return { status: response.status, text: await beginningOf(response) };
  } catch (error) {
    const where = withoutQuery(to);
    throw new CommandFailure(
      signal.aborted
        ? `The receiver at ${where} did not answer within ${deadline / 1_000} s. The service would try again.`
        : `The receiver at ${where} gave no answer (${printable(reasonOf(error))}). Does it run?`,
    );
  }
}

/** The beginning of an answer. The rest is not read, however long it is. */
async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= longestAnswer) break;
  }
  return text + decoder.decode();
}
