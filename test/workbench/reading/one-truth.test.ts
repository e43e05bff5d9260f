import { expect, test } from 'vitest';
import { asItIs } from '../../../src/workbench/reading/deliveries.js';
import { isSpent } from '../../../src/workbench/reading/faults.js';
import type { DeliverySnapshot } from '../../../src/workbench/surface/entry.js';
import { deliveryOf } from '../entries.js';

test('only what is pending is cancelled with its subscription, and only once the subscriptions are known', () => {
  const statusOf = (status: DeliverySnapshot['status'], ids?: readonly string[]) =>
    asItIs(deliveryOf('a', { status }), ids && new Set(ids)).status;
  expect(statusOf('pending', [])).toBe('cancelled');
  expect(statusOf('pending', ['webhook_1'])).toBe('pending');
  expect(statusOf('pending')).toBe('pending');
  expect([statusOf('delivered', []), statusOf('failed', [])]).toEqual(['delivered', 'failed']);
});

test('a fault rule is spent when it injects nothing more', () => {
  const spent = (limits: object, matched: number, injected: number) => {
    const rule = { operation: 'any', fault: { kind: 'stall' }, ...limits } as const;
    return isSpent({ id: 'fault_1', rule, matched, injected });
  };
  expect([spent({}, 9, 9), spent({ times: 2 }, 9, 1), spent({ times: 2 }, 9, 2)]).toEqual([
    false,
    false,
    true,
  ]);
  expect([spent({ nth: 3 }, 2, 0), spent({ nth: 3 }, 3, 1)]).toEqual([false, true]);
  expect(spent({ nth: 3, every: 2 }, 0, 0)).toBe(true);
});
