import { expect } from 'vitest';
import { nowhere } from '../../cli/http-servers.js';
import { acknowledge, phone, type ServedWorkbench, serveWorkbench, usualSeed } from './served-workbench.js';

/** A workbench with an entry of each type. */
export interface BusyWorkbench extends ServedWorkbench {
  /** The newest entry of each type. */
  entries(): Promise<readonly { readonly number: number; readonly type: string }[]>;
  /** The id of a delivery that was not acknowledged. */
  failedDelivery(): Promise<string>;
}

/** Serves a workspace in which something of each kind happened, on a frozen clock. The words are further flags of `serve`. */
export async function busyWorkbench(...words: readonly string[]): Promise<BusyWorkbench> {
  const server = await serveWorkbench(
    {
      ...usualSeed,
      clock: 'frozen',
      segments: [{ id: 'regulars', event: 'order_placed', atLeast: 3, within: '30d' }],
      journeys: [
        {
          id: 'order_follow_up',
          event: 'order_placed',
          steps: [
            { send: 'order_update', variables: { 1: { contact: 'firstName' }, 2: { event: 'orderId' } } },
            { wait: '1h' },
            { send: 'order_update', variables: { 1: { contact: 'firstName' }, 2: 'again' } },
          ],
        },
      ],
    },
    ...words,
  );
  await server.subscribe(await acknowledge());
  await server.subscribe(await nowhere());
  await server.ask('POST', '/api/v1/events', {
    phone,
    event: 'order_placed',
    properties: { orderId: 'A-1001' },
  });
  expect(await server.status('POST', '/api/v1/contacts', { phone: 'not a phone' })).toBe(400);
  await server.ask('POST', '/control/faults', {
    operation: 'templates.list',
    times: 1,
    fault: { kind: 'status', status: 503 },
  });
  expect(await server.status('GET', '/api/v1/templates')).toBe(503);
  await server.receive('Where is my order?');
  await server.ask('POST', '/control/settled');
  return {
    ...server,
    entries: async () => {
      const newest = new Map<string, number>();
      for (const { type, number } of await server.list('/control/journal'))
        newest.set(String(type), Number(number));
      return [...newest].map(([type, number]) => ({ type, number }));
    },
    failedDelivery: async () => {
      const [delivery] = (await server.list('/control/deliveries')).filter(
        ({ status }) => status !== 'delivered',
      );
      return String(delivery?.id);
    },
  };
}
