import { createOptOutList, type KeyValueService } from 'messaging-automation';
import type { ContactOptedInEvent, ContactOptedOutEvent } from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
import { indices, phoneOf } from '../bulk/items.js';
import { phone } from '../support/samples.js';

const envelope = { workspaceId: 'workspace_1' };
const start = Date.UTC(2026, 0, 1);

/** When something happens, in milliseconds after the start. */
const at = (milliseconds: number) => new Date(start + milliseconds).toISOString();

export const optedOut = (time: number, data: object = { phone }): ContactOptedOutEvent => ({
  ...envelope,
  event: 'contact.opted_out',
  timestamp: at(time),
  data: { ...data },
});

export const optedIn = (time: number, data: object = { phone }): ContactOptedInEvent => ({
  ...envelope,
  event: 'contact.opted_in',
  timestamp: at(time),
  data: { ...data },
});

/** How a store makes its time pass. */
export interface StoreOfOptOuts {
  readonly store: KeyValueService;
  readonly pass: (milliseconds: number) => Promise<void> | void;
}

/** What the list promises with every store, within a suite that has one. */
export function keepsOptOuts(createStore: () => Promise<StoreOfOptOuts> | StoreOfOptOuts): void {
  test('whoever opts out is on the list of every process, until they opt in', async () => {
    const { store } = await createStore();
    const [list, another] = [createOptOutList({ store }), createOptOutList({ store })];
    const other = phoneOf(1);
    expect([await list.has(phone), await list.has(other)]).toEqual([false, false]);
    await list.onOptedOut(optedOut(0));
    expect([await another.has(phone), await another.has(other)]).toEqual([true, false]);
    await another.onOptedIn(optedIn(1));
    await another.onOptedOut(optedOut(1, { phone: other }));
    expect([await list.has(phone), await list.has(other)]).toEqual([false, true]);
  });

  test('the list forgets nothing', async () => {
    const { store, pass } = await createStore();
    const list = createOptOutList({ store });
    await list.onOptedOut(optedOut(0));
    await list.onOptedOut(optedOut(1));
    await list.add(phoneOf(1));
    await pass(50 * 365 * 24 * 60 * 60 * 1_000);
    expect([await list.has(phone), await list.has(phoneOf(1))]).toEqual([true, true]);
  });

  test('the newest of many deliveries at once counts', async () => {
    const { store } = await createStore();
    const lists = [createOptOutList({ store }), createOptOutList({ store })];
    for (const last of ['out', 'in'] as const) {
      const given = { phone: phoneOf(last === 'out' ? 1 : 2) };
      const deliveries = indices(20).map((time) => {
        const list = lists[time % 2];
        const isOut = (time === 19 || time % 3 === 0) === (last === 'out');
        return isOut ? list?.onOptedOut(optedOut(time, given)) : list?.onOptedIn(optedIn(time, given));
      });
      await Promise.all(deliveries.toReversed());
      expect(await lists[0]?.has(given.phone)).toBe(last === 'out');
    }
  });
}
