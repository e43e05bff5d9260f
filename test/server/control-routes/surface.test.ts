import { describe, expect, test } from 'vitest';
import { documentOf } from '../support/openapi.js';
import { askWith, field, refusal, startServer, startWithApi } from '../support/reference.js';
import { controlOperations, startWithControl } from './support.js';

const openly = { Authorization: undefined };

test('GET /control lists every operation of the document, one a line, to whoever asks', async () => {
  const server = startServer();
  const response = await server.fetch(new Request('http://localhost/control'));
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'application/json; charset=utf-8',
  ]);
  const text = await response.text();
  const index: unknown = JSON.parse(text);
  const listed = Object.values<object>(Object(field(index, 'operations')));
  const documented = await controlOperations(server);
  expect(new Set(listed.map((each) => `${field(each, 'method')} ${field(each, 'path')}`))).toEqual(
    new Set(documented.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)),
  );
  expect(listed.length).toBeGreaterThan(40);
  for (const each of listed)
    expect(text.split('\n')).toContainEqual(expect.stringContaining(JSON.stringify(each)));
  expect(field(index, 'document')).toBe('/control/openapi.json');
});

describe('GET /control/openapi.json', () => {
  test('goes to whoever asks, and the same each time', async () => {
    const { ask } = startWithControl();
    const { status, body } = await ask('GET', '/openapi.json', undefined, openly);
    expect(status).toBe(200);
    expect(body).toEqual(await documentOf(startServer(), '/control/openapi.json'));
    expect(field(body, 'openapi')).toBe('3.1.1');
  });

  test('describes what is served, and every other path asks for a key', async () => {
    const { server, ask } = startWithApi();
    const operations = await controlOperations(server);
    expect(operations.length).toBeGreaterThan(40);
    for (const { method, path, operation } of operations) {
      const isOpen = JSON.stringify(field(operation, 'security')) === '[]';
      for (const Authorization of [undefined, 'Bearer wrong']) {
        const address = `/..${path.replaceAll(/\{\w+\}/g, 'x')}`;
        const { status, headers, body } = await ask(method, address, undefined, { Authorization });
        expect(`${method} ${path}: ${status}`).toBe(`${method} ${path}: ${isOpen ? 200 : 401}`);
        expect(headers.get('x-request-id')).toMatch(/^request_/);
        if (!isOpen) expect(body).toEqual(refusal('unauthorized'));
      }
    }
  });

  test('leads to nothing that it does not hold, and names each operation once', async () => {
    const document = await documentOf(startServer(), '/control/openapi.json');
    const schemas = Object.keys(Object(field(field(document, 'components'), 'schemas')));
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to]) => to);
    expect(new Set(references)).toEqual(
      // Nothing else leads to these two.
      new Set(schemas.map((name) => `#/components/schemas/${name}`)),
    );
    const names = (await controlOperations(startServer())).map(({ id }) => id);
    expect(new Set(names).size).toBe(names.length);
  });

  test('calls each operation as a program does', async () => {
    const server = startServer();
    const operations = await controlOperations(server);
    const withoutSurface = operations.filter(({ operation }) => field(operation, 'security') === undefined);
    expect(withoutSurface.length).toBeGreaterThan(40);
    for (const { operation } of withoutSurface) {
      const name = String(field(operation, 'operationId'));
      const verb = name.split('.').reduce<unknown>(field, server);
      expect(`${name} is a ${typeof verb}`).toBe(`${name} is a function`);
    }
  });

  test.each(['sends', 'events', 'deliveries'] as const)(
    'filters %s by the names that a program uses',
    async (list) => {
      const server = startServer();
      const unknown: object = { nonsense: 1 };
      const { message } = await server[list].find(unknown).then(
        () => new Error(''),
        (error: Error) => error,
      );
      const names = /\(the options are (.*)\)/.exec(message)?.[1]?.split(', ');
      const find = (await controlOperations(server)).find(({ id }) => id === `${list}.find`);
      const parameters = Object.values<object>(Object(field(find?.operation, 'parameters')));
      const filters = parameters
        .map((parameter) => field(parameter, 'name'))
        .filter((name) => !['limit', 'cursor', 'wait'].includes(String(name)));
      expect(new Set(filters)).toEqual(new Set(names));
    },
  );
});

test.each([
  ['/control/send', 'Did you mean /control/sends?'],
  ['/control/Clock', 'Did you mean /control/clock?'],
  ['/contacts', 'Did you mean /control/contacts?'],
  ['/v1/templates', 'Did you mean /api/v1/templates?'],
  ['/api/v1/transactionl', 'Did you mean /api/v1/transactional?'],
  // They share nothing but their start with paths that exist.
  ['/api/v1/zoo', undefined],
  ['/control/zoo', undefined],
])('the path %s, which does not exist: %s', async (path, advice) => {
  const { status, body } = await askWith(startServer())('GET', `/..${path}`);
  expect(status).toBe(404);
  const message = field(field(body, 'error'), 'message');
  if (advice === undefined) expect(message).not.toContain('Did you mean');
  else expect(message).toContain(advice);
});
