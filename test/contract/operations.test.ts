import { describe, expect, test } from 'vitest';
import { errorStatuses } from '../../src/contract/error.js';
import type { AnyOperation } from '../../src/contract/operation.js';
import { operationList, operations } from '../../src/contract/operations.js';

describe('the table of operations', () => {
  test('is the eleven endpoints of §4, in its order, with the statuses it shows', () => {
    expect(operationList.map(lineOf)).toEqual([
      'POST /v1/contacts → 201 200',
      'GET /v1/contacts/find → 200',
      'GET /v1/contacts/:id → 200',
      'PUT /v1/contacts/:id → 200',
      'DELETE /v1/contacts/:id → 204',
      'POST /v1/transactional → 200',
      'POST /v1/events → 202',
      'POST /v1/webhooks → 201',
      'GET /v1/webhooks → 200',
      'DELETE /v1/webhooks/:id → 204',
      'GET /v1/templates → 200',
    ]);
  });

  test('§9: every endpoint is under /v1', () => {
    for (const { path } of operationList) expect(path).toMatch(/^\/v1\//);
  });

  test('names each operation by its place in the table', () => {
    const places = Object.entries(operations).flatMap(([resource, verbs]) =>
      Object.keys(verbs).map((verb) => `${resource}.${verb}`),
    );
    expect(operationList.map(({ name }) => name)).toEqual(places);
  });

  test('§7: the errors that the document shows, and no others, are marked as shown', () => {
    const shown = operationList.flatMap(({ method, path, errors }) =>
      errors
        .filter((error) => error.shown !== 'nothing')
        .map((error) => {
          const code = error.shown === 'status and code' ? error.code : '(code not shown)';
          return `${errorStatuses[error.code]} ${code} ${method} ${path}`;
        }),
    );
    expect(shown.sort()).toEqual([
      '402 quota_exceeded POST /v1/transactional',
      '404 (code not shown) GET /v1/contacts/find',
      '404 (code not shown) POST /v1/events',
      '404 not_found POST /v1/transactional',
      '422 send_failed POST /v1/transactional',
    ]);
  });

  test('says what the document leaves open of each success', () => {
    const open = operationList.filter(({ notShown }) => notShown.length > 0).map(({ name }) => name);
    expect(open).toEqual([
      'contacts.find',
      'contacts.get',
      'contacts.update',
      'webhooks.list',
      'templates.list',
    ]);
  });

  test('lets no request be repeated that would send, record or subscribe a second time', () => {
    const once = operationList.filter(({ repeatable }) => !repeatable).map(({ name }) => name);
    expect(once).toEqual(['transactional.send', 'events.track', 'webhooks.create']);
  });

  test('has a schema for each parameter of a path, and a body for each POST and PUT', () => {
    for (const { name, method, path, request } of operationList) {
      expect(Object.hasOwn(request, 'path'), name).toBe(path.includes(':'));
      expect(Object.hasOwn(request, 'body'), name).toBe(method === 'POST' || method === 'PUT');
    }
  });
});

function lineOf({ method, path, successes }: AnyOperation): string {
  return `${method} ${path} → ${Object.values(successes).join(' ')}`;
}
