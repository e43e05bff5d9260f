import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../../src/contract/openapi.js';
import { operationList } from '../../../src/contract/operations.js';
import { repositoryFile } from '../../repository.js';
import { askOverSocket, askWith, field, startServer } from '../support/reference.js';

describe('GET /openapi.json', () => {
  test('is the contract’s and the package’s document, with this server as the one to ask', async () => {
    const server = startServer();
    const packaged: unknown = JSON.parse(readFileSync(repositoryFile('openapi.json'), 'utf8'));
    expect({ ...Object(packaged), servers: [] }).toEqual({ ...openApiDocument(), servers: [] });
    for (const ask of [askWith(server), await askOverSocket(server)]) {
      const { status, headers, body } = await ask('GET', '/../openapi.json', undefined, {
        Authorization: undefined,
      });
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      expect(body).toEqual({
        ...openApiDocument(),
        servers: [{ url: '/api', description: expect.any(String) }],
      });
    }
  });

  test('leads to the endpoints when its server and paths are put together', async () => {
    const server = startServer();
    const { url } = await server.listen();
    const document: unknown = await (await fetch(`${url}/openapi.json`)).json();
    const [first] = Object.values(Object(field(document, 'servers')));
    const paths = Object.entries(Object(field(document, 'paths'))).flatMap(([path, methods]) =>
      Object.keys(Object(methods)).map((method) => ({ method: method.toUpperCase(), path })),
    );
    expect(paths).toHaveLength(operationList.length);
    for (const { method, path } of paths) {
      const address = url + String(field(first, 'url')) + path.replace('{id}', 'x');
      // There, and asking for a key: nothing else is.
      expect((await fetch(address, { method })).status).toBe(401);
    }
  });
});
