import { createHmac } from 'node:crypto';
import { Command, Option } from 'commander';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import type { ListenerSeed } from '../../server/index.js';
import type { ControlClient } from '../running-server/control-client.js';
import { followEvents } from '../running-server/follow-events.js';
import { control } from '../running-server/operations.js';
import {
  type ControlOptions,
  controlClientOf,
  serverOf,
  withControlOptions,
} from '../running-server/options.js';
import { receiverUrl } from '../running-server/receiver.js';
import { CommandFailure, UsageError } from '../terminal/failures.js';
import { type CliCommand, type Terminal, withoutQuery } from '../terminal/terminal.js';
import { forwarder } from './forwarder.js';

interface ListenOptions extends ControlOptions {
  readonly forwardTo?: string;
  readonly events?: readonly WebhookEventType[];
  readonly secret?: string;
  readonly printSecret: boolean;
}

/** How long to try to reconnect, in milliseconds. The server removes a listener that is away for this long. */
const longestAbsence = 60_000;

/** How long unsubscribing may take. In milliseconds. */
const longestFarewell = 3_000;

/** `messaging-automation listen`: forwards the deliveries of a running server to a local receiver. */
export const listenCommand: CliCommand = {
  define: () =>
    withControlOptions(
      new Command('listen')
        .description('forward the deliveries of a running server to a receiver on this machine')
        .option('--forward-to <url>', 'URL of the receiver, such as http://localhost:3000/webhooks')
        .addOption(
          new Option('--events <types...>', 'the event types (default: all)').choices(webhookEventTypes),
        )
        .option('--secret <secret>', 'signing secret (default: $WEBHOOK_SECRET, or derived from the key)')
        .option('--print-secret', 'print the signing secret and exit', false),
    ),
  examples: `  $ messaging-automation listen --forward-to http://localhost:3000/webhooks
  $ messaging-automation listen --forward-to http://localhost:3000/webhooks --events message.received
  $ WEBHOOK_SECRET=$(messaging-automation listen --print-secret) node receiver.js
  $ messaging-automation listen --forward-to http://localhost:3000/webhooks --json | jq 'select(.error)'`,
  notes: `Subscribes at a running server, and forwards each delivery to a receiver on this
machine: the same bytes, with the same Content-Type and X-Service-Signature. The
receiver's response becomes the attempt's response, so the server retries and gives up
as with any receiver. The server never connects to the URL itself.

When it loses the connection, it reconnects and gets what it missed. It forwards
no attempt twice. Ctrl-C unsubscribes, and cancels deliveries that wait for a
retry.

The signing secret is --secret or $WEBHOOK_SECRET. Without them it is derived
from the key, and is the same each time. --print-secret prints it and needs no server.
In all other output, keys, secrets and phone numbers are masked.

Exit codes:
  0  Ctrl-C ended it, or it printed the secret
  1  the server does not respond, refuses, removed the listener, or was away for a
     minute
  2  the command line is wrong`,
  run: listen,
};

async function listen(terminal: Terminal, options: ListenOptions): Promise<number> {
  const { forwardTo, events, printSecret } = options;
  const secret = listenerSecret(terminal, options);
  if (printSecret) {
    terminal.print(secret);
    return 0;
  }
  if (forwardTo === undefined) {
    throw new UsageError('The receiver is missing. Pass --forward-to http://localhost:3000/webhooks.');
  }
  const to = receiverUrl('--forward-to', forwardTo);
  const surface = controlClientOf(terminal, options);
  const url = withoutQuery(new URL(to).href);
  const listening = listenerAt(surface, { url, secret, ...(events && { events }) });
  const stopping = new AbortController();
  void terminal.stopRequested().then(() => stopping.abort());
  const { signal } = stopping;
  const forwarding = forwarder({ terminal, surface, to, url, signal, json: options.json });
  let refusal: unknown;
  const refuse = (failure: unknown) => {
    refusal ??= failure;
    stopping.abort();
  };
  const ready = { type: 'ready', url: surface.url, forwardTo: url, events: events ?? webhookEventTypes };
  const types = ready.events.join(', ');
  const stream = followEvents(surface, {
    signal,
    terminal,
    open: (connecting) => listening.connect(connecting),
    again: () => 'Reconnected.\n',
    giveUpAfter: longestAbsence,
  });
  let isReady = false;
  try {
    for await (const { name, data } of stream) {
      if (name === 'start' && !isReady) {
        isReady = true;
        const line = `Listening at ${surface.url} to ${types}, forwarding to ${url}. Press Ctrl-C to stop.`;
        surface.report(line, ready);
      } else if (name === 'attempt') {
        forwarding.take(Object(data)).catch(refuse);
      } else if (name === 'ended') {
        forwarding.end(Object(data).attemptId, Object(data).error);
      } else if (name === 'removed') {
        throw new CommandFailure(
          `${surface.url} removed the listener. Start the command again to get further deliveries.`,
        );
      }
    }
  } finally {
    stopping.abort();
  }
  if (refusal !== undefined) throw refusal;
  await listening.leave();
  surface.report('Stopped.', { type: 'stopped' });
  return 0;
}

/**
 * The signing secret of a listener: the given one, that of the environment, or one derived from the key. It is the same at each
 * start, also after a restart of the server, and can be printed before either runs.
 */
function listenerSecret(terminal: Terminal, options: ListenOptions): string {
  const secret = options.secret ?? terminal.env.WEBHOOK_SECRET;
  if (secret && /^whsec_[\x21-\x7e]+$/.test(secret)) return secret;
  if (secret) {
    const source = options.secret === undefined ? '$WEBHOOK_SECRET' : '--secret';
    throw new UsageError(`${source} must be whsec_ followed by printable ASCII without spaces.`);
  }
  // It does not reveal the key, unless the key can be guessed.
  const { apiKey } = serverOf(terminal, options);
  return `whsec_${createHmac('sha256', apiKey).update('messaging-automation listen').digest('hex')}`;
}

/** A listener at a server, with this URL for the server to show. If the server removed it, `connect` creates another one with the same secret. */
function listenerAt(surface: ControlClient, subscribing: ListenerSeed) {
  let listenerId: string | undefined;
  const stream = (id: string, signal: AbortSignal) =>
    surface.stream(control.listeners.attempts, { path: { id }, signal });
  return {
    /** Opens the stream of its attempts. */
    async connect(signal: AbortSignal) {
      if (listenerId !== undefined) {
        try {
          return await stream(listenerId, signal);
        } catch (error) {
          if (!(error instanceof CommandFailure) || error.status !== 404) throw error;
        }
      }
      const call = { body: subscribing, signal, expected: 'id' } as const;
      const { id } = await surface.ask(control.listeners.create, call);
      listenerId = id;
      return stream(id, signal);
    },

    /** Unsubscribes if the server responds. Otherwise the server removes the listener after a minute. */
    async leave(): Promise<void> {
      if (listenerId === undefined) return;
      const signal = AbortSignal.timeout(longestFarewell);
      await surface.ask(control.listeners.remove, { path: { id: listenerId }, signal }).catch(() => {});
    },
  };
}
