import { describe, expect, test } from 'vitest';
import { errorStatuses } from '../../src/contract/error.js';
import { operationNames } from '../../src/contract/operation-name.js';
import { operationList } from '../../src/contract/operations.js';
import { operationCases } from '../operations/cases.js';

describe('the table of operations', () => {
  test('is the endpoints of §4, in its order, with the statuses it shows', () => {
    expect(operationList.map(({ method, path }) => `${method} ${path}`)).toEqual(
      operationCases.map(([, { endpoint }]) => endpoint),
    );
    expect(operationList.map(({ successes }) => Object.values(successes))).toEqual(
      operationCases.map(([, { statuses }]) => statuses),
    );
  });

  test('§9: every endpoint is under /v1', () => {
    for (const { path } of operationList) expect(path).toMatch(/^\/v1\//);
  });

  test('names each operation by its place in the table', () => {
    expect(operationList.map(({ name }) => name)).toEqual(operationNames);
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

  test('lets no request be repeated that would send, record or subscribe a second time', () => {
    expect(operationList.map(({ name, repeatable }) => [name, repeatable])).toEqual(
      operationCases.map(([name, { repeatable }]) => [name, repeatable]),
    );
  });

  test('has a schema for each parameter of a path, and a body for each POST and PUT', () => {
    for (const { name, method, path, request } of operationList) {
      expect(Object.hasOwn(request, 'path'), name).toBe(path.includes(':'));
      expect(Object.hasOwn(request, 'body'), name).toBe(method === 'POST' || method === 'PUT');
    }
  });
});
