import type { KeyValueService } from 'messaging-automation';
import { expect, test } from 'vitest';

/** A store whose time a test makes pass. */
export interface ListableStore {
  readonly store: KeyValueService;
  readonly pass: (milliseconds: number) => Promise<void> | void;
  /** What each key must begin with, in a service that has other entries. */
  readonly scope?: string;
}

const hour = 3_600_000;
const sending = '{"state":"sending"';

/** The entries that a store lists, sorted by key. None is listed twice where nothing changes. */
export async function listed(store: KeyValueService, keyPrefix: string, valuePrefix: string) {
  if (store.list === undefined) throw new Error('The store has no list.');
  const found: (readonly [key: string, value: string])[] = [];
  for await (const { key, value } of store.list(keyPrefix, valuePrefix)) found.push([key, value]);
  return found.sort(([one], [other]) => (one < other ? -1 : 1));
}

async function setAll(store: KeyValueService, entries: readonly (readonly [key: string, value: string])[]) {
  for (let start = 0; start < entries.length; start += 100) {
    const some = entries.slice(start, start + 100);
    await Promise.all(some.map(([key, value]) => store.set(key, value, hour)));
  }
}

/** What `list` promises with every store that has it, within a suite that has one. */
export function listsEntries(createStore: () => Promise<ListableStore> | ListableStore): void {
  test('lists 2,500 entries among as many others, each once', async () => {
    const { store, scope = '' } = await createStore();
    const numbers = Array.from({ length: 2_500 }, (_, number) => String(number).padStart(4, '0'));
    const open = numbers.map(
      (number) => [`${scope}send:${number}`, `${sending},"call":"${number}"}`] as const,
    );
    const others = numbers.map((number) =>
      Number(number) % 2 === 0
        ? ([`${scope}send:done ${number}`, '{"state":"sent"}'] as const)
        : ([`${scope}event:${number}`, `${sending}}`] as const),
    );
    await setAll(store, [...others, ...open]);

    expect(await listed(store, `${scope}send:`, sending)).toEqual(open);
  });

  test('lists only keys and values that begin with the two prefixes', async () => {
    const { store, scope = '' } = await createStore();
    const entries = [
      [`${scope}send:`, sending],
      [`${scope}send:1`, `${sending}}`],
      [`${scope}send:ü🎉`, `${sending},"about":"ü🎉"}`],
    ] as const;
    await setAll(store, [
      ...entries,
      [`${scope}send`, sending],
      [`${scope}SEND:2`, sending],
      [`${scope}a send:3`, sending],
      [`${scope}send:4`, '{"state":"sen'],
      [`${scope}send:5`, ` ${sending}`],
      [`${scope}send:6`, ''],
    ]);

    expect(await listed(store, `${scope}send:`, sending)).toEqual(entries);
    expect(await listed(store, `${scope}send:ü`, `${sending},"about":"ü🎉`)).toEqual(entries.slice(2));
    expect(await listed(store, `${scope}send:7`, '')).toEqual([]);
    expect(await listed(store, `${scope}send:6`, '')).toEqual([[`${scope}send:6`, '']]);
  });

  test.each(['*', '?', '[ab]', '[^a]', '\\', '\\*', '%', '_', "'", '^', '$', '.', '{1}'])(
    'takes %j in a prefix as it is',
    async (wildcard) => {
      const { store, scope = '' } = await createStore();
      const [key, value] = [`${scope}a${wildcard}b`, `x${wildcard}y`];
      await setAll(store, [
        [key, value],
        [`${scope}aab`, value],
        [`${scope}acb`, value],
        [`${scope}a*c`, value],
        [`${scope}ab`, value],
        [`${key} and more`, 'xay'],
        [`${key} and other`, 'xy'],
      ]);

      expect(await listed(store, key, value)).toEqual([[key, value]]);
    },
  );

  test('lists nothing that has expired', async () => {
    const { store, pass, scope = '' } = await createStore();
    await store.set(`${scope}send:brief`, sending, 1_000);
    await store.set(`${scope}send:long`, sending, 10_000);
    await pass(1_000);

    expect(await listed(store, `${scope}send:`, sending)).toEqual([[`${scope}send:long`, sending]]);
  });

  test('has nothing that has expired, by any operation', async () => {
    const { store, pass, scope = '' } = await createStore();
    const keys = ['deleted', 'replaced', 'added'].map((name) => `${scope}send:${name}`);
    const [deleted = '', replaced = '', added = ''] = keys;
    for (const key of keys) await store.set(key, 'a', 1_000);
    await pass(1_000);

    expect(await store.deleteIfEqual(deleted, 'a')).toBe(false);
    expect(await store.replaceIfEqual(replaced, 'a', 'b', hour)).toBe(false);
    expect(await store.setIfAbsent(added, 'b', hour)).toBe(true);
    expect(await listed(store, `${scope}send:`, '')).toEqual([[added, 'b']]);
  });

  test('lists the keys that the other operations take, with the values of now', async () => {
    const { store, scope = '' } = await createStore();
    await store.set(`${scope}send:1`, 'first', hour);
    await store.replaceIfEqual(`${scope}send:1`, 'first', 'second', hour);
    await store.set(`${scope}send:2`, 'first', hour);
    await store.deleteIfEqual(`${scope}send:2`, 'first');
    const entries = await listed(store, `${scope}send:`, '');

    expect(entries).toEqual([[`${scope}send:1`, 'second']]);
    for (const [key, value] of entries) expect(await store.get(key)).toBe(value);
  });

  test('stops when the caller has enough, and can be asked again', async () => {
    const { store, scope = '' } = await createStore();
    await setAll(store, [
      [`${scope}send:1`, 'a'],
      [`${scope}send:2`, 'a'],
    ]);
    let count = 0;
    for await (const _ of store.list?.(`${scope}send:`, 'a') ?? []) {
      count += 1;
      break;
    }

    expect(count).toBe(1);
    expect(await listed(store, `${scope}send:`, 'a')).toHaveLength(2);
  });

  test('ends if the caller changes each entry that it gets', async () => {
    const { store, scope = '' } = await createStore();
    await setAll(store, [[`${scope}send:1`, 'a']]);
    let count = 0;
    for await (const { key, value } of store.list?.(`${scope}send:`, 'a') ?? []) {
      count += 1;
      await store.deleteIfEqual(key, value);
      if (count < 10) await store.set(`${scope}send:${count + 1}`, 'a', hour);
    }

    expect(count).toBeLessThanOrEqual(10);
  });
}

/** What every store of this package makes of a time to live, within a suite that has one. */
export function takesAnyTimeToLive(createStore: () => Promise<ListableStore> | ListableStore): void {
  const century = 100 * 365 * 24 * hour;

  test('takes a fraction of a millisecond', async () => {
    const { store, pass } = await createStore();
    await store.set('set', 'a', 59_999.1);
    await store.setIfAbsent('added', 'a', 59_999.1);
    await store.replaceIfEqual('added', 'a', 'b', 59_999.1);
    await pass(50_000);

    expect([await store.get('set'), await store.get('added')]).toEqual(['a', 'b']);
  });

  test.each([century, century * 1_000, 1e21, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])(
    'takes %d milliseconds as a century at most',
    async (ttl) => {
      const { store, pass } = await createStore();
      await store.set('set', 'a', ttl);
      expect(await store.setIfAbsent('added', 'a', ttl)).toBe(true);
      expect(await store.replaceIfEqual('added', 'a', 'b', ttl)).toBe(true);
      await pass(century - hour);
      expect([await store.get('set'), await store.get('added')]).toEqual(['a', 'b']);
      await pass(hour);
      expect([(await store.get('set')) || undefined, (await store.get('added')) || undefined]).toEqual([
        undefined,
        undefined,
      ]);
    },
  );

  test.each([Number.NaN, 0, -1, 0.5, Number.NEGATIVE_INFINITY])(
    'rejects %d milliseconds, and changes nothing',
    async (ttl) => {
      const { store } = await createStore();
      await store.set('kept', 'a', hour);
      const refused = new TypeError(
        `A time to live must be a number of milliseconds, 1 or more, not ${ttl}.`,
      );
      await expect(store.set('kept', 'b', ttl)).rejects.toThrow(refused);
      await expect(store.setIfAbsent('new', 'b', ttl)).rejects.toThrow(refused);
      await expect(store.replaceIfEqual('kept', 'a', 'b', ttl)).rejects.toThrow(refused);
      expect([await store.get('kept'), (await store.get('new')) || undefined]).toEqual(['a', undefined]);
    },
  );
}
