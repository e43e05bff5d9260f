import { describe, expect, test } from 'vitest';
import { statements } from '../../src/contract/statements.js';
import { webhookEventTypes } from '../../src/contract/webhook-event-type.js';
import { factsOf, webhookEvents } from '../../src/contract/webhook-events.js';
import { problemsOfDelivery } from '../../src/webhooks/verification/delivery.js';

const timestamp = '2026-01-02T03:04:05.678Z';
const defined = <Value>(values: readonly (Value | undefined)[]) =>
  values.filter((value) => value !== undefined);

test('the list of event types and the table have the same types in the same order', () => {
  expect(Object.keys(webhookEvents)).toEqual([...webhookEventTypes]);
});

describe.each(webhookEventTypes)('the facts of %s', (event) => {
  const { dataFields, identity, sample } = factsOf(event);

  test('have a sample with every field, without a difference from the document', () => {
    const data = sample('1', timestamp);

    expect(Object.keys(data)).toEqual(Object.keys(dataFields));
    expect(problemsOfDelivery({ event, workspaceId: 'workspace_1', timestamp, data })).toEqual([]);
  });

  test('have samples that differ in a field', () => {
    expect(sample('1', timestamp)).not.toEqual(sample('2', timestamp));
  });

  test('name as identity a field that differs between two events', () => {
    if (identity === undefined) return expect(event).not.toBe('message.received');

    expect(sample('1', timestamp)[identity.field]).not.toBe(sample('2', timestamp)[identity.field]);
  });

  test('are those of an event that the conformance check looks for', () => {
    expect(
      Object.values(statements).filter((text) => text.startsWith(`§6 ${event}: a contact`)),
    ).toHaveLength(1);
  });
});

test.each([
  ['short names', webhookEventTypes.map((type) => factsOf(type).shortName)],
  ['keywords', defined(webhookEventTypes.map((type) => factsOf(type).keyword))],
  [
    'beginnings of names in dedupe stores',
    ['delivery', 'own', ...defined(webhookEventTypes.map((type) => factsOf(type).identity?.prefix))],
  ],
])('no two event types have the same %s', (_, words) => {
  expect(new Set(words).size).toBe(words.length);
});
