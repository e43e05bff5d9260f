import { readFileSync } from 'node:fs';
import {
  createMemoryKeyValueStore,
  type KeyValueService,
  type MessagingAutomation,
  type Transport,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { repositoryFile } from '../../repository.js';
import { ManualClock } from '../../server/support/manual-clock.js';
import { within, withResolvers } from '../../waiting.js';
import { type Behaviour, faults, inTurn, reply } from '../support/behaviours.js';
import { send } from '../support/samples.js';
import { rejection } from '../support/service.js';
import { accepted, guardBehind, key, promptClock, startSender } from './sending-once.js';

type State = 'free' | 'under way' | 'unknown' | 'sent';

const rejects = reply(404, { error: { code: 'not_found' } });
const day = 24 * 60 * 60 * 1_000;

/** A service, a store whose time the test moves, and processes, of which the first one can be held up before its request or during it. */
async function scene(behave: Behaviour = accepted) {
  const clock = new ManualClock();
  const store = createMemoryKeyValueStore({ clock });
  const gate = withResolvers();
  const service = await startSender(async (...given) => {
    if (given[2] === 1) await gate.promise;
    behave(...given);
  }, store);
  return { ...service, store, gate, pass: (time: number) => clock.pass(time) };
}

type Scene = Awaited<ReturnType<typeof scene>>;

const sendBy = ({ transactional }: MessagingAutomation, signal?: AbortSignal) =>
  transactional.send(send, { ...key, signal });

/** A call that ends, whatever becomes of it. */
async function called({ messaging, gate }: Scene): Promise<void> {
  gate.resolve();
  await sendBy(messaging).catch(() => {});
}

/** A call whose request has arrived, and gets no response yet. */
async function callUnderWay({ messaging, received }: Scene) {
  const call = sendBy(messaging);
  call.catch(() => {});
  await received(1);
  return { call };
}

const settleAs = ({ another }: Scene, outcome: 'sent' | 'not_sent') =>
  another().transactional.settle(key.idempotencyKey, outcome);

/** What another process finds in the store. */
async function stateOf({ another, store }: Scene): Promise<State> {
  if ((await another().transactional.unsettled()).length > 0) return 'unknown';
  for await (const { value } of store.list?.('send:', '') ?? [])
    return value.includes('"sent"') ? 'sent' : 'under way';
  return 'free';
}

/** How each transition of the guide happens: by its row, the state before and what happens. */
const transitions: Readonly<Record<string, () => Promise<Scene>>> = {
  'free: a call takes the key': async () => {
    const here = await scene();
    expect(await stateOf(here)).toBe('free');
    await callUnderWay(here);
    return here;
  },
  'under way: the service accepts the request': async () => {
    const here = await scene();
    const { call } = await callUnderWay(here);
    here.gate.resolve();
    await call;
    return here;
  },
  'under way: the service rejects the request, or it does not leave': async () => {
    for (const transport of [
      undefined,
      { exchange: () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })) },
    ]) {
      const here = await scene(rejects);
      here.gate.resolve();
      await rejection(sendBy(here.another({ transport })));
      expect(await stateOf(here)).toBe('free');
      if (transport !== undefined) return here;
    }
    throw new Error('Both were tried.');
  },
  'under way: the response is lost, the service fails, or the call is aborted': async () => {
    for (const behave of [faults.reset, reply(500, {})]) {
      const here = await scene(behave);
      await called(here);
      expect(await stateOf(here)).toBe('unknown');
    }
    const here = await scene();
    const stop = new AbortController();
    const call = sendBy(here.messaging, stop.signal);
    await here.received(1);
    stop.abort('enough');
    expect(await rejection(call)).toBe('enough');
    return here;
  },
  'under way: the process dies, or is paused for 30 seconds': async () => {
    const here = await scene();
    await callUnderWay(here);
    here.pass(29_999);
    expect(await stateOf(here)).toBe('under way');
    here.pass(1);
    return here;
  },
  'unknown: the paused process continues, before anyone settles the key': async () => {
    const here = await scene();
    const [asked, goOn, clock] = [withResolvers(), withResolvers(), promptClock()];
    const guard = guardBehind(asked, goOn);
    sendBy(here.another({ clock, guards: [guard] })).catch(() => {});
    await within('the guard', asked.promise);
    clock.standStill(30_000);
    here.pass(30_000);
    expect(await stateOf(here)).toBe('unknown');
    goOn.resolve();
    await here.received(1);
    return here;
  },
  'unknown: you settle it as `sent`': async () => {
    const here = await scene(faults.reset);
    await called(here);
    expect(await settleAs(here, 'sent')).toBe(true);
    return here;
  },
  'unknown: you settle it as `not_sent`': async () => {
    const here = await scene(faults.reset);
    await called(here);
    here.pass(365 * day);
    expect(await settleAs(here, 'not_sent')).toBe(true);
    return here;
  },
  'sent: `idempotencyRetention` is over': async () => {
    const here = await scene();
    await called(here);
    here.pass(30 * day - 1);
    expect(await stateOf(here)).toBe('sent');
    here.pass(1);
    return here;
  },
};

/** The rows of the guide's table. */
function rows(): readonly (readonly [title: string, to: string])[] {
  const guide = readFileSync(repositoryFile('docs/guides/send-once.md'), 'utf8');
  const [, table = ''] = guide.split('| from | what happens | to |\n|---|---|---|\n');
  const [lines = ''] = table.split('\n\n');
  return lines.split('\n').map((line) => {
    const [, from = '', what = '', to = ''] = line.split('|').map((cell) => cell.trim());
    return [`${from}: ${what}`, to];
  });
}

describe('the states of a key in the guide', () => {
  test('are those that are tested here', () => {
    expect(
      rows()
        .map(([title]) => title)
        .toSorted(),
    ).toEqual(Object.keys(transitions).toSorted());
  });

  test.each(rows())('%s: %s', async (title, to) => {
    const here = await transitions[title]?.();
    expect(here && (await stateOf(here))).toBe(to);
    here?.gate.resolve();
  });
});

test.each<State>(['free', 'under way', 'sent'])('a key that is %s cannot be settled', async (state) => {
  const here = await scene();
  if (state === 'under way') await callUnderWay(here);
  if (state === 'sent') await called(here);
  for (const outcome of ['sent', 'not_sent'] as const) expect(await settleAs(here, outcome)).toBe(false);
  expect(await stateOf(here)).toBe(state);
  here.gate.resolve();
});

describe('processes whose clocks differ', () => {
  test.each([-365 * day, -60_000, 60_000, 365 * day])(
    'by %i ms agree on who has the key',
    async (difference) => {
      const here = await scene();
      await callUnderWay(here);
      const clock = promptClock();
      clock.standStill(difference);
      const other = here.another({ clock: { ...clock, monotonic: () => performance.now() * 1_000 } });
      expect(await other.transactional.settle(key.idempotencyKey, 'not_sent')).toBe(false);
      expect(await rejection(sendBy(other))).toMatchObject({ code: 'in_progress' });
      here.pass(30_000);
      expect(await rejection(sendBy(other))).toMatchObject({ code: 'outcome_unknown' });
      expect(here.requests).toHaveLength(1);
      here.gate.resolve();
    },
  );
});

describe('a store that loses its last second', () => {
  /** A store that can go back to what it had, as one does that was killed before it wrote to its disk. */
  function forgetful() {
    const entries = new Map<string, string>();
    let saved = new Map<string, string>();
    const change = async (isDone: boolean, ...[name, value]: [string, string?]) => {
      if (isDone && value === undefined) entries.delete(name);
      else if (isDone && value !== undefined) entries.set(name, value);
      return isDone;
    };
    const store: KeyValueService = {
      get: async (name) => entries.get(name),
      set: (name, value) => change(true, name, value),
      setIfAbsent: (name, value) => change(!entries.has(name), name, value),
      replaceIfEqual: (name, expected, value) => change(entries.get(name) === expected, name, value),
      deleteIfEqual: (name, expected) => change(entries.get(name) === expected, name),
    };
    return {
      store,
      save: () => {
        saved = new Map(entries);
      },
      goBack: () => {
        entries.clear();
        for (const [name, value] of saved) entries.set(name, value);
      },
    };
  }

  test('before the request of a call that was paused: it sends nothing', async () => {
    const { store, goBack } = forgetful();
    const [asked, goOn, clock] = [withResolvers(), withResolvers(), promptClock()];
    const guard = guardBehind(asked, goOn);
    const { another, requests } = await startSender(accepted, store);
    const slow = sendBy(another({ clock, guards: [guard] }));
    await within('the guard', asked.promise);
    goBack();
    clock.standStill(15_000);
    goOn.resolve();
    expect(await rejection(slow)).toMatchObject({ code: 'key_lost', outcome: 'not_sent', retryable: true });
    expect(requests).toHaveLength(0);
  });

  test('while the request is under way: the message counts as sent when its call ends', async () => {
    const { store, goBack } = forgetful();
    const gate = withResolvers();
    const { messaging, another, requests, received } = await startSender(async (...given) => {
      await gate.promise;
      accepted(...given);
    }, store);
    const call = sendBy(messaging);
    await received(1);
    goBack();
    gate.resolve();
    await call;
    expect(await sendBy(another())).toMatchObject({ replayed: true });
    expect(requests).toHaveLength(1);
  });

  test('after the call has ended: the outcome is unknown, if the store has the claim', async () => {
    const { store, save, goBack } = forgetful();
    const { messaging, another, requests } = await startSender((...given) => {
      save();
      accepted(...given);
    }, store);
    await sendBy(messaging);
    goBack();
    // The lease goes with its time.
    for (const name of [...(await leases(store))]) await store.deleteIfEqual(name, 'alive');
    expect(await rejection(sendBy(another()))).toMatchObject({ code: 'outcome_unknown' });
    expect(requests).toHaveLength(1);
  });
});

/** The names of the leases of the open records. */
async function leases(store: KeyValueService): Promise<readonly string[]> {
  const { digest } = await import('../../../src/key-value/records.js');
  const text = (await store.get(`send:${await digest(key.idempotencyKey)}`)) ?? '{}';
  return [`lease:${JSON.parse(text).call}`];
}

test.each([
  [19_999, 'sends'],
  [20_000, 'sends nothing'],
])(
  'a process that is paused for %i ms between the confirmation and the first byte %s',
  async (pause, what) => {
    const clock = promptClock();
    const { another, requests } = await startSender(accepted, createMemoryKeyValueStore());
    const sent: string[] = [];
    const transport: Transport = {
      announcesSending: true,
      async exchange({ url, onSending }) {
        clock.standStill(pause);
        onSending?.();
        sent.push(url);
        return { status: 200, headers: new Headers(), body: '{"success":true}' };
      },
    };
    const call = sendBy(another({ clock, transport }));
    if (what === 'sends') expect(await call).toEqual({ success: true });
    else
      expect(await rejection(call)).toMatchObject({ code: 'key_lost', outcome: 'not_sent', retryable: true });
    expect(sent).toHaveLength(what === 'sends' ? 1 : 0);
    expect(await sendBy(another())).toEqual({ success: true, ...(what === 'sends' && { replayed: true }) });
    expect(requests).toHaveLength(what === 'sends' ? 0 : 1);
  },
);

test('of a settlement and a paused call at the same time, one has the key', async () => {
  const memory = createMemoryKeyValueStore();
  const [reading, goOn] = [withResolvers(), withResolvers()];
  const { another, requests } = await startSender(inTurn(accepted), memory);
  const [asked, clock] = [withResolvers(), promptClock()];
  const guard = guardBehind(asked, reading);
  const slow = sendBy(another({ clock, guards: [guard] }));
  await within('the guard', asked.promise);
  const [lease = ''] = await leases(memory);
  await memory.deleteIfEqual(lease, 'alive');
  // The settlement has seen that there is no lease, and then the paused process goes on.
  const person = another({
    idempotencyStore: {
      ...memory,
      async deleteIfEqual(...given) {
        clock.standStill(30_000);
        reading.resolve();
        await goOn.promise;
        return memory.deleteIfEqual(...given);
      },
    },
  });
  const settling = person.transactional.settle(key.idempotencyKey, 'not_sent');
  expect(await within('the result', slow)).toEqual({ success: true });
  goOn.resolve();
  expect(await settling).toBe(false);
  expect(await sendBy(another())).toMatchObject({ replayed: true });
  expect(requests).toHaveLength(1);
});
