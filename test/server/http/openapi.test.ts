import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../../src/contract/openapi.js';
import { repositoryFile } from '../../repository.js';
import { askOverSocket, askWith, startServer } from '../support/reference.js';

test('GET /openapi.json is the contract’s and the package’s document, with this server as the one to ask', async () => {
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
