/** A receiver in a process of its own, to be killed. It tells its parent when a handler starts and ends, and waits until the parent knows. */
import { createServer } from 'node:http';
import { createWebhookReceiver, type TurnStore, toNodeHandler } from 'messaging-automation/webhooks';
import { readRecord } from '../../../src/webhooks/order/turn-record.js';
import { connections } from '../promises/connections.js';
import { storeNames } from '../promises/promises.js';

const [name, url = '', secret = ''] = process.argv.slice(2);
const storeName = storeNames.find((known) => known === name) ?? 'memory';
const { store } = await connections[storeName](url);
const known = new Map<number, () => void>();
let [told, jump] = [0, 0];

/** Tells the parent, and resolves when it knows. */
const tell = (what: object) =>
  new Promise<void>((resolve) => {
    told += 1;
    known.set(told, resolve);
    process.send?.({ ...what, number: told });
  });

process.on('message', (message: { readonly known?: number; readonly jump?: number }) => {
  if (message.known !== undefined) known.get(message.known)?.();
  if (message.jump !== undefined) jump += message.jump;
});
process.on('disconnect', () => process.exit());

const { turns } = store;
if (turns === undefined) throw new Error('The store has no turns.');

/** Who gets the turn must be the oldest in the record. */
const watchedTurns: TurnStore = {
  ...turns,
  async replace(group, before, text, ttl) {
    const isReplaced = await turns.replace(group, before, text, ttl);
    const { turn, waiting } = readRecord(text);
    const isNew = turn !== undefined && turn.holder !== readRecord(before).turn?.holder;
    const isWrong = waiting.some(({ timestamp }) => isNew && timestamp < turn.timestamp);
    if (isReplaced && isWrong) await tell({ step: 'wrong', id: `The turn goes to a newer one: ${text}` });
    return isReplaced;
  },
};

const receiver = createWebhookReceiver({
  secret,
  dedupe: { ...store, turns: watchedTurns },
  inOrder: 'contact',
  lease: 6_000, // longer than a busy machine keeps a process from running
  tolerance: false,
  clock: {
    now: () => Date.now() + jump,
    monotonic: () => performance.now(),
    setTimer(callback, delay) {
      const timer = setTimeout(callback, delay);
      return () => clearTimeout(timer);
    },
  },
  onError(error, { event }) {
    const isLost = Reflect.get(Object(error), 'reason') === 'claim_lost';
    if (isLost && event?.event === 'message.received') tell({ step: 'lost', id: event.data.messageId });
  },
  onSlowHandler() {},
}).on('message.received', async ({ data }, { isLate }) => {
  await tell({ step: 'start', id: data.messageId, isLate });
  await tell({ step: 'end', id: data.messageId });
});
const server = createServer(toNodeHandler(receiver)).listen(0, '127.0.0.1', () =>
  process.send?.(server.address()),
);
