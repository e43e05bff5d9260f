import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  createWebhookReceiver,
  type DedupeStore,
  signTestDelivery,
  toFetchHandler,
  type WebhookReceiverOptions,
} from 'messaging-automation/webhooks';
import { onTestFinished } from 'vitest';
import { startProxy } from '../../cli/proxy.js';
import { bundle } from '../../run/bundle.js';
import { ManualClock } from '../../server/support/manual-clock.js';
import { settle, until, within, withResolvers } from '../../waiting.js';
import type { Backend } from './backends.js';
import { connections } from './connections.js';
import type { StoreName } from './promises.js';

const lease = 30_000;
const secret = 'whsec_promises';
const noRoom = () => new Error('no room');

interface Course {
  /** What happens, in this order. At `duplicate` a duplicate comes, where there is one. */
  readonly steps: string;
  readonly options?: Partial<WebhookReceiverOptions<Request>>;
  /** Runs the first receiver in a process, until its handler runs or the store has recorded. */
  readonly process?: 'running' | 'recorded';
  readonly isResponseLost?: true;
  /** The store does not know in the end that the event was handled. */
  readonly isForgotten?: true;
  /** A duplicate comes to the process of the first attempt. */
  readonly isToSame?: true;
}

/** The steps of each thing that happens. The handler of a first run waits for `succeed` or `fail`. */
const courses: Readonly<Record<string, Course>> = {
  'the handler fails once': { steps: 'run, duplicate, fail' },
  'the handler fails each time': { steps: 'run, duplicate, fail' },
  'the handler takes longer than the deadline, and succeeds': {
    steps: 'run, duplicate, all get a response, succeed',
  },
  'the handler takes longer than the deadline, and fails': {
    steps: 'run, duplicate, all get a response, fail',
  },
  'the handler takes longer than the `lease`, and succeeds': {
    steps: 'run, duplicate, outlive lease, succeed',
  },
  'the response is lost after the handler has succeeded': {
    steps: 'succeed, run, all get a response, duplicate',
    isResponseLost: true,
  },
  'the process drains while the handler runs': {
    steps: 'run, drain, duplicate, succeed',
    isToSame: true,
  },
  'the process is killed while the handler runs': {
    steps: 'run, duplicate, kill process',
    process: 'running',
  },
  'the process is killed while the handler runs, and both retries come before its lease ends': {
    steps: 'run, duplicate, kill process, retry, retry, end lease, pass time',
    process: 'running',
  },
  'the process is killed after the store has recorded the event, before the response': {
    steps: 'run, duplicate, duplicate gets a response, kill process',
    process: 'recorded',
  },
  'the store does not respond to the claim before the deadline': {
    steps: 'succeed, freeze store, send, duplicate, all get a response, thaw store',
  },
  'the store does not respond when the handler has succeeded': {
    steps: 'run, freeze store, duplicate, succeed, all get a response, thaw store',
  },
  'the store is gone until after the deadline': {
    steps: 'succeed, kill store, send, duplicate, all get a response, start store',
  },
  'the store is gone until after the last retry, for less than the lease': {
    steps: 'succeed, kill store, send, duplicate, all get a response, retry, retry, start store, pass time',
  },
  'the store is killed and started again before the deadline': {
    steps: 'succeed, kill store, send, duplicate, start store',
  },
  'the store is gone when the handler has succeeded': {
    steps: 'run, kill store, duplicate, succeed, all get a response, start store',
  },
  'the store is killed and started again while the handler runs': {
    steps: 'run, kill store, start store, duplicate, succeed',
  },
  'the store starts empty while the handler runs, and the claim is not renewed yet': {
    steps: 'run, kill store, start store, duplicate, duplicate gets a response, succeed',
  },
  'the store starts empty while the handler runs, and the claim has been renewed': {
    steps: 'run, kill store, start store, claim again, duplicate, succeed',
    options: { deadline: 2 * lease },
  },
  'the store starts empty after the handler has succeeded': {
    steps: 'succeed, run, all get a response, kill store, start store, duplicate',
    isForgotten: true,
  },
  "the connection breaks before the store's reply to the claim": {
    steps: 'succeed, lose reply, send, reconnect, duplicate',
  },
  "the connection breaks before the store's reply to the record of the event": {
    steps: 'run, lose reply, succeed, reconnect, duplicate',
  },
};

export interface Observed {
  readonly responses: readonly string[];
  readonly runs: number;
  readonly duplicate: string | undefined;
}

/** Makes something happen to a delivery, lets the service try again, and says what became of it. */
export async function observe(
  happening: string,
  name: StoreName,
  backend: Backend,
  isDuplicated: boolean,
): Promise<Observed> {
  const course = courses[happening];
  if (course === undefined) throw new Error(`There are no steps for: ${happening}.`);
  const isShared = name !== 'memory';
  const clock = new ManualClock();
  const handling = withResolvers();
  const running = withResolvers();
  handling.promise.catch(() => {});
  let [runs, claims, underWay] = [0, 0, 0];
  let isStoreThere = true;
  const delivery = signTestDelivery({
    secret,
    event: 'message.received',
    data: { messageId: crypto.randomUUID() },
  });

  const connect = async (url: string): Promise<DedupeStore> => {
    const { store, close } = await connections[name](url);
    onTestFinished(async () => void (await close()));
    const watched = async <Result>(work: Result | Promise<Result>) => {
      underWay += 1;
      try {
        return await work;
      } finally {
        underWay -= 1;
      }
    };
    return {
      claim(...words) {
        claims += 1;
        return watched(store.claim(...words));
      },
      renew: (...words) => watched(store.renew(...words)),
      commit: (...words) => watched(store.commit(...words)),
      release: (...words) => watched(store.release(...words)),
    };
  };
  const receiverOn = (dedupe: DedupeStore) => {
    const receiver = createWebhookReceiver<Request>({
      secret,
      dedupe,
      clock,
      tolerance: false,
      onError() {},
      ...course.options,
    }).on('message.received', async () => {
      runs += 1;
      running.resolve();
      if (runs === 1) await handling.promise;
      else if (happening === 'the handler fails each time') throw noRoom();
    });
    const handle = toFetchHandler(receiver);
    return { receiver, send: async () => `${(await handle(delivery.toRequest())).status}` };
  };

  const proxy = await startProxy({ url: backend.url || 'http://127.0.0.1' });
  const throughProxy = isShared ? withPort(backend.url, new URL(proxy.url).port) : '';
  const stores = [await connect(throughProxy)];
  const [firstStore] = stores;
  if (firstStore === undefined) throw new Error('There is no store.');
  const first = receiverOn(firstStore);
  let other = first;
  if (isShared || course.process !== undefined) {
    const store = await connect(backend.url);
    stores.push(store);
    other = receiverOn(store);
  }
  const child =
    course.process &&
    (await startProcess([name, backend.url, course.process, secret], (told) => {
      if (told === 'running') runs += 1;
      if (told === course.process) running.resolve();
    }));
  const sendToChild = async () => {
    const { body, headers } = delivery;
    const response = await fetch(`${child?.url}`, { method: 'POST', body, headers }).catch(() => undefined);
    return `${response?.status ?? 'none'}`;
  };
  const sendFirst = child === undefined ? first.send : sendToChild;

  const probe = () => Promise.all(stores.map((store) => store.renew('probe', { holder: 'probe', lease })));
  /** Lets time pass until a response comes. While the store is there, no time passes before it has replied. */
  const responseTo = async (response: Promise<string>): Promise<string> => {
    for (;;) {
      const turn = isStoreThere ? idle().then(settle) : settle();
      const responded = await Promise.race([
        response.then((value) => ({ value })),
        turn.then(() => undefined),
      ]);
      if (responded !== undefined) return responded.value;
      clock.pass(500);
    }
  };

  const sent: Promise<string>[] = [];
  const retries: string[] = [];
  const reconnected = async () => {
    const again = async (): Promise<unknown> => probe().catch(() => settle().then(again));
    await within('the store', again());
  };
  const idle = () => until('replies of the store', () => underWay === 0);
  const { server } = backend;
  let lost: Promise<void> | undefined;
  const steps: Readonly<Record<string, () => unknown>> = {
    send: () => sent.push(sendFirst()),
    async run() {
      sent.push(sendFirst());
      await within('the handler', running.promise);
    },
    duplicate: () => isDuplicated && sent.push(course.isToSame || !isShared ? sendFirst() : other.send()),
    'duplicate gets a response': () => Promise.all(sent.slice(1)),
    'all get a response': () => Promise.all(sent.map(responseTo)),
    succeed: () => handling.resolve(),
    fail: () => handling.reject(noRoom()),
    drain: () => void first.receiver.drain(),
    'kill process': () => child?.process.kill('SIGKILL'),
    'freeze store': () => {
      isStoreThere = false;
      return server?.freeze();
    },
    async 'thaw store'() {
      await server?.thaw();
      isStoreThere = true;
    },
    'kill store': () => {
      isStoreThere = false;
      return server?.end('SIGKILL');
    },
    async 'start store'() {
      await settle();
      await server?.start();
      await reconnected();
      isStoreThere = true;
    },
    'lose reply': () => {
      lost = proxy.loseReply();
    },
    async reconnect() {
      await lost;
      await reconnected();
    },
    async 'claim again'() {
      clock.pass(lease / 3);
      await until('the second claim', () => claims === 2);
      await idle();
    },
    async retry() {
      retries.push(await responseTo(other.send()));
    },
    'end lease': () => backend.pass(lease),
    async 'pass time'() {
      for (let turn = 0; turn < 4; turn += 1) {
        await idle();
        await settle();
        clock.pass(500);
      }
    },
    async 'outlive lease'() {
      for (let third = 0; third < 4; third += 1) {
        clock.pass(lease / 3);
        await idle();
        await backend.pass(lease / 3);
      }
    },
  };
  for (const name of course.steps.split(', ')) {
    const step = steps[name];
    if (step === undefined) throw new Error(`There is no step: ${name}.`);
    await step();
  }

  const [firstResponse, duplicateResponse] = sent;
  if (firstResponse === undefined) throw new Error('Nothing was sent.');
  const duplicate = duplicateResponse && (await responseTo(duplicateResponse));
  const responses = [await responseTo(firstResponse), ...retries];
  if (course.isResponseLost) responses[0] = 'none';
  while (responses.length < 3 && !responses.includes('204')) {
    if (responses.length === 2) await backend.pass(lease);
    responses.push(await responseTo(other.send()));
  }
  // What was handled is recorded by then, also where the store was away.
  const handled = runs;
  if (responses.at(-1) === '204' && !course.isForgotten) await responseTo(other.send());
  if (runs !== handled) throw new Error('An attempt after the last one ran the handler again.');
  return { responses, runs, duplicate };
}

let program: Promise<string> | undefined;

/** Starts a receiver in a process of its own. */
export async function startProcess(words: readonly string[], onTold: (told: unknown) => void) {
  program ??= bundle({ file: 'test/webhooks/promises/receiver-process.ts' });
  const child = fork(await program, words);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [address] = await within('the receiver', once(child, 'message'));
  child.on('message', onTold);
  return { process: child, url: `http://127.0.0.1:${address.port}` };
}

function withPort(url: string, port: string): string {
  const changed = new URL(url);
  changed.port = port;
  return changed.href;
}
