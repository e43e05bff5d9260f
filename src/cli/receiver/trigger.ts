import { Argument, Command } from 'commander';
import { webhookEventTypes } from '../../contract/webhook-event-type.js';
import { factsOf } from '../../contract/webhook-events.js';
import { signTestDelivery, type WebhookEventType } from '../../webhooks/index.js';
import { control } from '../running-server/operations.js';
import { type ControlOptions, controlClientOf, withControlOptions } from '../running-server/options.js';
import {
  explainReceiver,
  postDelivery,
  receiverDeadline,
  receiverUrl,
  webhookSecret,
} from '../running-server/receiver.js';
import { outputOf } from '../running-server/responses.js';
import { CommandFailure, UsageError, usable } from '../terminal/failures.js';
import { type CliCommand, printable, styled, type Terminal, withoutQuery } from '../terminal/terminal.js';

interface TriggerOptions extends ControlOptions {
  readonly phone?: string;
  readonly body?: string;
  readonly to?: string;
  readonly secret?: string;
}

/** Short names of the events. */
const shortNames = new Map(webhookEventTypes.map((type) => [factsOf(type).shortName, type]));

/** `messaging-automation trigger`: causes an event at a server, or delivers a sample of one without a server. */
export const triggerCommand: CliCommand = {
  define: () =>
    withControlOptions(
      new Command('trigger')
        .description('write to a running server as a contact, or send a signed sample delivery to a receiver')
        .addArgument(
          new Argument('<event>', 'what happens').choices([...shortNames.keys(), ...webhookEventTypes]),
        )
        .option('--phone <phone>', "the contact's phone number, such as +15551234567")
        .option('--body <text>', 'what the contact writes, in a message')
        .option('--to <url>', 'send a signed sample to this receiver, without a server')
        .option('--secret <secret>', "the receiver's secret, with --to (default: $WEBHOOK_SECRET)"),
    ),
  examples: `  $ messaging-automation trigger message --phone +15551234567 --body 'Where is my order?'
  $ messaging-automation trigger opted-out --phone +15551234567
  $ messaging-automation trigger message --to http://127.0.0.1:3000/hooks --secret whsec_example
  $ WEBHOOK_SECRET=whsec_example messaging-automation trigger contact.opted_in --to https://app.example.com/hooks`,
  notes: `With --phone, a contact writes to the workspace at a running server: a message,
START or STOP. The server then does what the service does: it sends signed
deliveries to the subscriptions, and retries those that fail.
\`messaging-automation logs --follow\` shows them.

With --to, no server is needed. The command signs one sample delivery with the
secret, sends it to that URL once, and prints the response. A 2xx within five
seconds is a success, as for the service.

Exit codes:
  0  the server accepted it, or the receiver responded with a 2xx
  1  it did not
  2  the command line is wrong`,
  run: trigger,
};

async function trigger(terminal: Terminal, name: WebhookEventType, options: TriggerOptions): Promise<number> {
  const event = shortNames.get(name) ?? name;
  const { phone, to, secret } = options;
  const { keyword } = factsOf(event);
  if (keyword !== undefined && options.body !== undefined) {
    throw new UsageError(`--body is only for messages. The text ${keyword} causes ${event}.`);
  }
  if (to !== undefined) return deliverSample(terminal, options, event, to);
  const body = keyword ?? options.body;
  if (secret !== undefined) throw new UsageError('--secret needs --to: a server signs with its own secrets.');
  if (phone === undefined) throw new UsageError('The phone is missing. Pass --phone +15551234567.');
  if (body === undefined) throw new UsageError("The text is missing. Pass --body 'Hello'.");
  const surface = controlClientOf(terminal, options);
  const response = await surface.ask(control.simulate.inboundMessage, {
    body: { phone, body },
    expected: 'messageId',
  });
  const { contactId, messageId, consent } = response;
  const change = consent === undefined ? '' : `, and is now ${consent}`;
  surface.report(`${contactId} wrote a message (${messageId})${change}.`, response);
  return 0;
}

/** Signs a delivery with sample data, sends it to a receiver once, and prints the response. */
async function deliverSample(
  terminal: Terminal,
  options: TriggerOptions,
  event: WebhookEventType,
  receiver: string,
): Promise<number> {
  const to = receiverUrl('--to', receiver);
  const url = withoutQuery(to);
  const secret = webhookSecret(terminal, options.secret);
  const { phone, body: message } = options;
  const data = { ...(phone !== undefined && { phone }), ...(message !== undefined && { body: message }) };
  const { bytes, signature = '' } = usable(() => signTestDelivery({ secret, event, data }));
  const signal = AbortSignal.timeout(receiverDeadline);
  const outcome = await postDelivery(to, { body: bytes, signature }, signal);
  const { status, error } = outcome;
  if (outcome.responseBody === undefined) {
    throw new CommandFailure(
      signal.aborted
        ? `The receiver at ${url} did not respond within ${receiverDeadline / 1_000} s. The service would retry.`
        : `The receiver at ${url} did not take the delivery: ${printable(`${error}`)}. ${explainReceiver(terminal, to, error)}`,
    );
  }
  const { responseBody } = outcome;
  const { shown, json } = outputOf(terminal, options, [secret]);
  if (options.json) {
    terminal.print(json({ event, url, signature, status, responseBody }));
  } else {
    const response = styled(terminal, error === undefined ? 'green' : 'red', `${status}`);
    const meaning = error === undefined ? '' : ': the service would retry';
    terminal.print(`${event} to ${url}: ${response}${meaning}`);
    for (const line of responseBody.split('\n')) if (line.trim() !== '') terminal.print(`  ${shown(line)}`);
  }
  return error === undefined ? 0 : 1;
}
