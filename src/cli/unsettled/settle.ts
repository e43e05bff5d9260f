import { Argument, Command } from 'commander';
import { isUnsettled, settleKey } from '../../client/idempotency/unsettled.js';
import { CommandFailure } from '../terminal/failures.js';
import { type CliCommand, printable, type Terminal } from '../terminal/terminal.js';
import { type KeyStoreOptions, withKeyStore, withKeyStoreOptions } from './key-store.js';

interface SettleOptions extends KeyStoreOptions {
  readonly event: boolean;
}

/** `messaging-automation settle`: ends the unknown outcome of an idempotency key. */
export const settleCommand: CliCommand = {
  define: () =>
    withKeyStoreOptions(
      new Command('settle')
        .description('record the outcome of an idempotency key whose outcome is unknown')
        .argument('<key>', 'the idempotency key, as `unsettled` prints it')
        .addArgument(new Argument('<outcome>', 'what became of it').choices(['sent', 'not_sent']))
        .option('--event', 'the key is of an event, not of a message', false),
    ),
  examples: `  $ messaging-automation settle order-1001-shipped sent --store redis://127.0.0.1:6379
  $ messaging-automation settle order-1001-paid not_sent --event
  $ messaging-automation settle --json -- -a-key-with-a-dash sent`,
  notes: `sent      later calls with the key send nothing, and succeed. The key is kept for 30 days.
not_sent  the key is free: the next call with it sends the message or the event.

It changes only a key whose outcome is unknown, and none that a running call uses. It needs
the package redis or ioredis, or pg. A URL on a command line shows in the list of processes.
$MESSAGING_AUTOMATION_KEY_STORE does not.

Exit codes:
  0  the key is settled
  1  its outcome was not unknown, so nothing was changed
  2  the command line is wrong, or the store cannot be used`,
  run: settle,
};

async function settle(
  terminal: Terminal,
  idempotencyKey: string,
  outcome: 'sent' | 'not_sent',
  options: SettleOptions,
): Promise<void> {
  const operation = options.event ? 'events.track' : 'transactional.send';
  const other = options.event ? 'transactional.send' : 'events.track';
  const settlement = { operation, idempotencyKey, outcome } as const;
  const { settled, isOfOther, place } = await withKeyStore(terminal, options, async (store, name) => {
    const isSettled = await settleKey(store, settlement);
    return {
      settled: isSettled,
      isOfOther: !isSettled && (await isUnsettled(store, other, idempotencyKey)),
      place: name,
    };
  });
  if (options.json) terminal.print(JSON.stringify({ ...settlement, settled }));
  const named = printable(
    `The key ${JSON.stringify(idempotencyKey)} of ${options.event ? 'an event' : 'a message'}`,
  );
  if (isOfOther)
    throw new CommandFailure(
      `${named} was not unknown, so nothing was changed. The key of ${options.event ? 'a message' : 'an event'} with that name is unknown: ${options.event ? 'leave out --event' : 'pass --event'}.`,
    );
  if (!settled && idempotencyKey.includes('***'))
    throw new CommandFailure(
      `${named} was not unknown, so nothing was changed. It looks masked, as logs show a key with a phone: take the whole key from \`messaging-automation unsettled\`.`,
    );
  if (!settled)
    throw new CommandFailure(
      `${named} was not unknown, so nothing was changed. It may be free, known as sent, or in use by a running call. Check the key, --event and the store, which is ${place}: \`messaging-automation unsettled\` lists the unknown keys.`,
    );
  if (options.json) return;
  terminal.print(
    outcome === 'sent'
      ? `${named} is settled as sent: later calls with it send nothing.`
      : `${named} is free: the next call with it sends.`,
  );
}
