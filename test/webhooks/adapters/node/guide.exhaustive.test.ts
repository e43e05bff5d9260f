import { readFile } from 'node:fs/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { toFastifyPlugin } from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
import { repositoryFile } from '../../../repository.js';
import { endpointOf } from '../support/environment.js';
import { recordingReceiver } from '../support/receiver.js';
import { delivery, withSignatures, wrongSignature } from '../support/sent.js';

test("Fastify's line of the guide's table serves the path of the other lines", async () => {
  const guide = await readFile(repositoryFile('docs/guides/receive-in-frameworks.md'), 'utf8');
  const [, line = ''] = /^\| Fastify \| `(.+?)` \|/m.exec(guide) ?? [];
  const { receiver } = recordingReceiver();
  const app: FastifyInstance = fastify();
  new Function('app', 'toFastifyPlugin', 'receiver', line)(app, toFastifyPlugin, receiver);
  await app.ready();
  const endpoint = await endpointOf((request, response) => app.routing(request, response));

  expect(await endpoint.send(delivery())).toBe(204);
  expect(await endpoint.send(withSignatures(delivery(), wrongSignature))).toBe(401);
  await endpoint.close();
});
