/** A receiver in a process of its own, to be killed: its handler never ends, or its store never says that it has recorded. */
import { createServer } from 'node:http';
import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { connections } from './connections.js';
import { storeNames } from './promises.js';

const [name, url = '', until, secret = '', order] = process.argv.slice(2);
const storeName = storeNames.find((known) => known === name) ?? 'memory';
const { store } = await connections[storeName](url);
const tell = (what: unknown) => void process.send?.(what);
const never = new Promise<never>(() => {});

const receiver = createWebhookReceiver({
  secret,
  tolerance: false,
  ...(order === 'contact' && { inOrder: order }),
  dedupe: {
    ...store,
    async commit(...words) {
      await store.commit(...words);
      tell('recorded');
      await never;
    },
  },
}).on('message.received', () => {
  tell('running');
  return until === 'recorded' ? undefined : never;
});
const server = createServer(toNodeHandler(receiver)).listen(0, '127.0.0.1', () => tell(server.address()));
