import {
  createWebhookReceiver,
  type DedupeStore,
  signTestDelivery,
  type TestDelivery,
  toFetchHandler,
  type WebhookJob,
} from 'messaging-automation/webhooks';
import { onTestFinished } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';
import { settle, until, within, withResolvers } from '../../waiting.js';
import type { Backend } from './backends.js';
import { connections } from './connections.js';
import { startProcess } from './happenings.js';
import type { PromisedInTurn } from './in-turn.js';
import type { StoreName } from './promises.js';

const [lease, secret] = [30_000, 'whsec_promises'];

/** What happens, in this order. The handler of the first message waits for `succeed` or `fail`. */
const courses: Readonly<Record<string, string>> = {
  'the second comes while the first runs': 'run 1, send 2, wait, succeed',
  'the second comes before the first, while an earlier one runs':
    'run 0, send 2, wait, send 1, wait, succeed',
  'a hundred come while the first runs': 'run 1, send 2 to 101, wait, succeed',
  'the first takes longer than the deadline': 'run 1, send 2, all get a response, wait, succeed',
  'the first fails, and the second waits for it': 'run 1, send 2, wait, fail',
  'the process drains while the second waits': 'run 1, send 2 to the same, wait, drain, succeed',
  'a worker of a queue is killed while the first runs':
    'work on 1, work on 2 elsewhere, wait, kill worker, outlive lease, work on 1 elsewhere',
  'the process is killed while the first runs':
    'run 1 in a process, send 2, wait, kill process, all get a response, outlive lease',
  'the store is gone when the second comes, until after the deadline':
    'run 1, kill store, send 2, all get a response, start store, pass time, succeed',
};

type Observed = Pick<PromisedInTurn, 'first' | 'second' | 'runs'>;

/** Makes something happen to messages of one contact, lets the service try again, and says what became of them. */
export async function observeInTurn(happening: string, name: StoreName, backend: Backend): Promise<Observed> {
  const course = courses[happening];
  if (course === undefined) throw new Error(`There are no steps for: ${happening}.`);
  const conversation = new Conversation(name, backend);
  await conversation.begin();
  for (const step of course.split(', ')) await conversation.take(step);
  await conversation.retry();
  return conversation.observed();
}

/** The messages of one contact, two processes that receive them, and a time that the test lets pass. */
class Conversation {
  readonly #name: StoreName;
  readonly #backend: Backend;
  readonly #clock = new ManualClock();
  readonly #contactId = crypto.randomUUID();
  readonly #deliveries = new Map<number, TestDelivery>();
  readonly #responses = new Map<number, Promise<string>[]>();
  readonly #runs: string[] = [];
  readonly #handling = withResolvers();
  #underWay = 0;
  #isStoreThere = true;
  #isWorkerAlive = true;
  #stores: DedupeStore[] = [];
  #processes: Awaited<ReturnType<Conversation['createProcess']>>[] = [];
  #child: Awaited<ReturnType<typeof startProcess>> | undefined;

  constructor(name: StoreName, backend: Backend) {
    this.#name = name;
    this.#backend = backend;
    this.#handling.promise.catch(() => {});
  }

  async begin(): Promise<void> {
    this.#processes = [await this.createProcess()];
    this.#processes.push(this.#name === 'memory' ? this.#process(0) : await this.createProcess());
  }

  async take(step: string): Promise<void> {
    const [, verb = '', from, to] =
      /^(.*?)(?: (\d+))?(?: to (\d+))?(?: elsewhere| in a process| to the same)?$/.exec(step) ?? [];
    const action = this.#actions[verb];
    if (action === undefined) throw new Error(`There is no step: ${step}.`);
    for (let number = Number(from ?? 0); number <= Number(to ?? from ?? 0); number += 1)
      await action(number, step);
  }

  readonly #actions: Readonly<Record<string, (number: number, step: string) => unknown>> = {
    run: async (number, step) => {
      if (step.endsWith('in a process')) await this.#runInChild(number);
      else this.#send(number, this.#process(0).send);
      await until('the handler', () => this.#runs.length === 1);
    },
    send: (number, step) => this.#send(number, this.#process(step.endsWith('to the same') ? 0 : 1).send),
    'work on': async (number, step) => {
      const job = withResolvers<WebhookJob>();
      if (!this.#responses.has(number))
        this.#send(number, (delivery) => this.#enqueue(delivery, job.resolve));
      else this.#enqueue(this.#delivery(number), job.resolve);
      const isElsewhere = step.endsWith('elsewhere');
      this.#process(isElsewhere ? 1 : 0)
        .receiver.process(await job.promise)
        .catch(() => {});
      if (!isElsewhere) await until('the handler', () => this.#runs.length === 1);
    },
    wait: async () => {
      await this.#idle();
      await settle();
    },
    'pass time': async () => {
      for (let turn = 0; turn < 8; turn += 1) {
        await this.#idle();
        await settle();
        this.#clock.pass(500);
      }
    },
    'all get a response': () =>
      Promise.all([...this.#responses.values()].flat().map((each) => this.#responseTo(each))),
    succeed: () => this.#handling.resolve(),
    fail: () => this.#handling.reject(new Error('no room')),
    drain: () => void this.#process(0).receiver.drain(),
    'kill worker': () => {
      this.#isWorkerAlive = false;
    },
    'kill process': () => this.#child?.process.kill('SIGKILL'),
    'kill store': () => {
      this.#isStoreThere = false;
      return this.#backend.server?.end('SIGKILL');
    },
    'start store': async () => {
      await settle();
      await this.#backend.server?.start();
      const probe = () =>
        Promise.all(this.#stores.map((store) => store.renew('probe', { holder: 'probe', lease })));
      const again = async (): Promise<unknown> => probe().catch(() => settle().then(again));
      await within('the store', again());
      this.#isStoreThere = true;
    },
    'outlive lease': async () => {
      for (let third = 0; third < 4; third += 1) {
        this.#clock.pass(lease / 3);
        await this.#idle();
        await this.#backend.pass(lease / 3);
      }
      await this.take('pass time');
    },
  };

  /** Sends what was not acknowledged again, as the service does. */
  async retry(): Promise<void> {
    for (const [number, responses] of [...this.#responses].toSorted(([one], [other]) => other - one)) {
      let response = await this.#responseTo(this.#last(responses));
      while (response !== '204' && responses.length < 3) {
        this.#send(number, this.#process(1).send);
        response = await this.#responseTo(this.#last(responses));
      }
    }
    await this.take('wait');
  }

  async observed(): Promise<Observed> {
    const [first, second] = await Promise.all(
      [1, 2].map((number) => Promise.all(this.#responses.get(number) ?? [])),
    );
    const isLongRow = this.#runs.length > 100 && this.#runs.every((run, index) => run === `${index + 1}`);
    const runs = isLongRow ? `1, 2, and so on to ${this.#runs.length}` : this.#runs.join(', ');
    return { first: `${first?.join(', ')}`, second: `${second?.join(', ')}`, runs };
  }

  /** A receiver in this process, with a connection of its own. The clock and the store of the first one end when the worker is killed. */
  async createProcess() {
    const isFirst = this.#processes.length === 0;
    const isAlive = () => !isFirst || this.#isWorkerAlive;
    const { store, close } = await connections[this.#name](this.#backend.url);
    onTestFinished(async () => void (await close()));
    const dedupe = this.#watched(store, isAlive);
    this.#stores.push(store);
    const receiver = createWebhookReceiver<Request>({
      secret,
      dedupe,
      inOrder: 'contact',
      clock: {
        now: () => this.#clock.now(),
        setTimer: (callback, delay) => this.#clock.setTimer(() => isAlive() && callback(), delay),
      },
      tolerance: false,
      onError() {},
    }).on('message.received', async ({ data }, { isLate }) => {
      this.#runs.push(`${data.messageId.split(' ')[0]}${isLate ? ' late' : ''}`);
      if (this.#runs.length === 1) await this.#handling.promise;
    });
    const handle = toFetchHandler(receiver);
    const send = async (delivery: TestDelivery) => `${(await handle(delivery.toRequest())).status}`;
    return { receiver, send };
  }

  #watched(store: DedupeStore, isAlive: () => boolean): DedupeStore {
    const { turns } = store;
    if (turns === undefined) throw new Error('The store has no turns.');
    const watched = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
      if (!isAlive()) return new Promise<never>(() => {});
      this.#underWay += 1;
      try {
        return await work();
      } finally {
        this.#underWay -= 1;
      }
    };
    return {
      claim: (...words) => watched(() => store.claim(...words)),
      renew: (...words) => watched(() => store.renew(...words)),
      commit: (...words) => watched(() => store.commit(...words)),
      release: (...words) => watched(() => store.release(...words)),
      turns: {
        read: (...words) => watched(() => turns.read(...words)),
        replace: (...words) => watched(() => turns.replace(...words)),
        stateOf: (...words) => watched(() => turns.stateOf(...words)),
      },
    };
  }

  async #runInChild(number: number): Promise<void> {
    const child = await startProcess(
      [this.#name, this.#backend.url, 'running', secret, 'contact'],
      (told) => {
        if (told === 'running') this.#runs.push(`${number}`);
      },
    );
    this.#child = child;
    this.#send(number, async ({ body, headers }) => {
      const response = await fetch(child.url, { method: 'POST', body, headers }).catch(() => undefined);
      return `${response?.status ?? 'none'}`;
    });
  }

  async #enqueue(delivery: TestDelivery, give: (job: WebhookJob) => void): Promise<string> {
    const web = createWebhookReceiver<Request>({
      secret,
      tolerance: false,
      clock: this.#clock,
      enqueue: give,
    });
    return `${(await toFetchHandler(web)(delivery.toRequest())).status}`;
  }

  #send(number: number, send: (delivery: TestDelivery) => Promise<string>): void {
    const responses = this.#responses.get(number) ?? [];
    responses.push(send(this.#delivery(number)));
    this.#responses.set(number, responses);
  }

  #delivery(number: number): TestDelivery {
    const delivery =
      this.#deliveries.get(number) ??
      signTestDelivery({
        secret,
        event: 'message.received',
        timestamp: this.#clock.now() + number,
        data: { messageId: `${number} ${this.#contactId}`, contactId: this.#contactId },
      });
    this.#deliveries.set(number, delivery);
    return delivery;
  }

  #process(index: number) {
    const found = this.#processes[index];
    if (found === undefined) throw new Error('There is no such process.');
    return found;
  }

  #last(responses: readonly Promise<string>[]): Promise<string> {
    return responses.at(-1) ?? Promise.reject(new Error('Nothing was sent.'));
  }

  #idle(): Promise<void> {
    return until('replies of the store', () => this.#underWay === 0);
  }

  /** Lets time pass until a response comes. While the store is there, no time passes before it has replied. */
  async #responseTo(response: Promise<string>): Promise<string> {
    for (;;) {
      const turn = this.#isStoreThere ? this.#idle().then(settle) : settle();
      const responded = await Promise.race([
        response.then((value) => ({ value })),
        turn.then(() => undefined),
      ]);
      if (responded !== undefined) return responded.value;
      this.#clock.pass(500);
    }
  }
}
