import type { ServerLogEntry } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { askOverSocket, askWith, phone, refusal, startServer } from '../support/reference.js';

describe('a failure inside the server', () => {
  test.each([
    ['an Error', new Error('kaputt at /srv/secret')],
    ['a string', 'kaputt at /srv/secret'],
    ['nothing', undefined],
    ['an Error without a stack', Object.assign(new Error('kaputt at /srv/secret'), { stack: undefined })],
  ])('that is %s gives 500 without its insides, and the next request a response', async (_, thrown) => {
    const log: ServerLogEntry[] = [];
    let broken = true;
    const server = startServer({
      log: (entry) => log.push(entry),
      newId(kind) {
        if (kind === 'contact' && broken) throw thrown;
        return kind;
      },
    });
    const ask = await askOverSocket(server);

    const { status, body } = await ask('POST', '/v1/contacts', { phone });
    expect([status, body]).toEqual([500, refusal('internal_error')]);
    expect(JSON.stringify(body)).not.toMatch(/kaputt|secret|\.ts|\bat /);
    const failures = log.filter((entry) => entry.type === 'error');
    expect(failures).toHaveLength(1);
    expect(failures[0]?.message).toContain(thrown === undefined ? 'undefined' : 'kaputt');

    broken = false;
    expect((await ask('POST', '/v1/contacts', { phone })).status).toBe(201);
  });

  test('while a send is paid for spends nothing', async () => {
    const server = startServer({
      quota: 1,
      templates: [{ id: 'welcome', body: 'Welcome!' }],
      contacts: [{ phone }],
      newId(kind) {
        if (kind === 'send') throw new Error('kaputt');
        return kind;
      },
    });
    const { status } = await askWith(server)('POST', '/v1/transactional', { phone, templateId: 'welcome' });
    expect(status).toBe(500);
    expect(await server.journal.quota()).toMatchObject({ quota: 1 });
  });

  test('while a workspace is made is told to whoever uses it, and ends nothing before', async () => {
    const server = startServer({
      contacts: [{ phone }],
      newId(kind) {
        if (kind === 'contact') throw new Error('kaputt');
        return kind;
      },
    });
    // Long enough for the process to notice a rejection that nobody takes.
    await new Promise((resolve) => setImmediate(resolve));
    await expect(server.fetch(new Request('http://localhost/api'))).rejects.toThrow('kaputt');
    await expect(server.listen()).rejects.toThrow('kaputt');
    await expect(server.journal.sends()).rejects.toThrow('kaputt');
  });
});
