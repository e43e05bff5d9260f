import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { NumberedEntry, ReferenceServer } from 'messaging-automation/server';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programOf } from '../../documentation/compiler.js';
import { runTestFiles } from '../../documentation/run-test-files.js';
import { repositoryFile } from '../../repository.js';
import { answer, startReceiver } from '../support/receiver.js';
import { askWith, otherPhone, phone, startServer } from '../support/reference.js';

/** A folder inside the repository, where the package and Vitest resolve. */
let folder: string;
beforeAll(async () => {
  await mkdir(repositoryFile('.cache'), { recursive: true });
  folder = await mkdtemp(repositoryFile('.cache/inspection-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Does one of everything of which a journal tells. */
async function liveALittle(): Promise<ReferenceServer> {
  const receiver = await startReceiver(answer(500), answer(503), answer(200));
  const server = startServer({
    now: '2026-03-02T09:00:00Z',
    contacts: [{ phone, properties: { firstName: "Zoë d'Arc" } }],
    templates: [
      { id: 'welcome', body: 'Welcome,\n{{1}}!' },
      { id: 'late', body: 'Late', status: 'rejected' },
    ],
    journeys: [
      {
        id: 'greet',
        event: 'seen',
        steps: [{ wait: '1h' }, { send: 'welcome', variables: { '1': { contact: 'firstName' } } }],
      },
    ],
    managedWebhooks: [{ url: receiver.url, events: ['message.received', 'contact.opted_out'] }],
  });
  const { client } = server;
  const refused = () => undefined;
  const { id } = await client.contacts.upsert({
    phone: otherPhone,
    properties: { tags: ['a', 'b'], 'a-b': 1 },
  });
  await client.contacts.get(id);
  await client.contacts.update(id, { properties: { city: 'Paris' } });
  await client.contacts.find('+15550000000');
  await client.contacts.get('nobody').catch(refused);
  await askWith(server)('POST', '/v1/events', { event: 1 });
  await client.transactional.send({ phone, templateId: 'welcome', variables: { '1': 'Ada' } });
  await client.transactional.send({ phone, templateId: 'late' }).catch(refused);
  await client.events.track({
    contactId: id,
    event: 'left',
    properties: { lines: [{ sku: 'tea', count: 2 }] },
  });
  await client.events.track({ phone, event: 'seen' });
  await server.clock.runToIdle();
  await server.simulate.inboundMessage({ phone, body: 'It\'s "quoted", `ticked` and $spent\n\u2028' });
  await server.clock.runToIdle();
  server.faults.add({
    operation: 'templates.list',
    fault: { kind: 'reset', when: 'before_commit' },
    times: 1,
  });
  await client.templates.list().catch(refused);
  server.faults.add({ operation: 'templates.list', fault: { kind: 'malformed_json' }, times: 1 });
  await client.templates.list().catch(refused);
  server.faults.add({ operation: 'any', fault: { kind: 'rate_limit' }, times: 1 });
  await client.templates.list().catch(refused);
  server.faults.add({ delivery: 'contact.opted_out', fault: { kind: 'tamper' }, times: 1 });
  await server.simulate.inboundMessage({ phone: otherPhone, body: 'STOP' });
  await server.clock.runToIdle();
  await client.transactional
    .send({ phone: otherPhone, templateId: 'welcome', variables: { '1': 'Ada' } })
    .catch(refused);
  const webhook = await client.webhooks.create({
    url: 'https://example.com/hooks',
    events: ['contact.opted_in'],
  });
  await client.webhooks.delete(webhook.id);
  await client.contacts.delete(id);
  // Nothing that the tests do reaches it.
  await receiver.close();
  return server;
}

async function writeTests(server: ReferenceServer): Promise<readonly string[]> {
  const { body: seed } = await askWith(server)('GET', '/../control/seed');
  await writeFile(join(folder, 'seed.json'), JSON.stringify(seed));
  const count = (await server.journal.entries()).length;
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { entry, copies } = await server.journal.inspect(index + 1);
      const path = join(folder, `${index + 1}-${nameOf(entry)}.ts`);
      await writeFile(path, copies.test);
      return path;
    }),
  );
}

function nameOf(entry: NumberedEntry): string {
  return entry.type === 'request' ? `request-${entry.operation}-${entry.status ?? 'none'}` : entry.type;
}

test('the tests of all entries compile, run with the seed, and pass', { timeout: 300_000 }, async () => {
  const server = await liveALittle();
  const paths = await writeTests(server);
  const types = new Set((await server.journal.entries()).map(({ type }) => type));
  expect(types).toEqual(new Set(['request', 'message', 'attempt', 'event', 'send', 'journey', 'fault']));

  expect(mistakesIn(paths)).toEqual([]);

  const { status, printed } = runTestFiles('vitest', paths);
  expect(status, printed).toBe(0);

  // They assert: nothing of this happens in an empty workspace.
  await writeFile(join(folder, 'seed.json'), '{}');
  const failing = paths.filter((path) =>
    /-(send|attempt|journey|request-transactional.send-200)\.ts$/.test(path),
  );
  const inVain = stripVTControlCharacters(runTestFiles('vitest', failing).printed);
  for (const path of failing) expect(inVain).toMatch(new RegExp(`FAIL +\\S*/${basename(path)} `));
});

function mistakesIn(paths: readonly string[]): readonly string[] {
  const program = programOf(paths);
  return paths.flatMap((path) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      .map(({ messageText }) => `${basename(path)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`),
  );
}
