import { expect, test } from 'vitest';
import { Application } from '../../../src/server/http/application.js';
import { fromRequest } from '../../../src/server/http/fetch-edge.js';
import { defaultSpecGaps } from '../../../src/server/model/spec-gaps.js';
import { machineClock } from '../../../src/server/time/machine-clock.js';

test('routes that could not be added are added by the next request', async () => {
  const application = new Application({
    openWorkspace: async () => undefined,
    apiKeys: () => [],
    clock: machineClock,
    newId: () => 'request',
    log: undefined,
    bodyLimit: 1,
    gaps: defaultSpecGaps,
    cors: undefined,
    hosts: undefined,
  });
  let tries = 0;
  application.addLater(['/later'], async () => {
    tries += 1;
    if (tries === 1) throw new Error('Too many files are open.');
    application.handleOpenly('GET', '/later', async () => ({ status: 204, headers: {} }));
  });
  const statuses = [];
  for (let i = 0; i < 3; i += 1) {
    statuses.push((await application.answer(fromRequest(new Request('http://localhost/later')))).status);
  }

  expect(statuses).toEqual([500, 204, 204]);
  expect(tries).toBe(2);
});
