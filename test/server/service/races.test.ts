import { expect, test } from 'vitest';
import { askWith, field, phone, startServer } from '../support/reference.js';

/** Lets this many steps of whatever else runs go by. */
async function steps(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await null;
}

test.each([
  ['PUT', '/v1/contacts/', { properties: { city: 'London' } }, 200],
  ['POST', '/v1/events', { event: 'seen', phone }, 202],
  ['POST', '/v1/transactional', { phone, templateId: 'welcome' }, 200],
  ['POST', '/v1/contacts', { phone }, 200],
] as const)(
  'a contact deleted at any moment of a %s %s leaves an answer that makes sense, and no trace',
  async (method, path, body, success) => {
    const server = startServer({
      templates: [{ id: 'welcome', body: 'Welcome!' }],
      segments: [{ id: 'seen', event: 'seen' }],
    });
    const ask = askWith(server);
    const seen = new Set<number>();
    let isOver = false;
    for (let head = 0; !isOver && head < 1_000; head += 1) {
      const id = String(field((await ask('POST', '/v1/contacts', { phone })).body, 'id'));
      let isAnswered = false;
      const [answer, deletion] = await Promise.all([
        ask(method, method === 'PUT' ? path + id : path, body).finally(() => {
          isAnswered = true;
        }),
        steps(head).then(() => {
          // From here on every deletion comes after the answer.
          isOver = isAnswered;
          return ask('DELETE', `/v1/contacts/${id}`);
        }),
      ]);
      seen.add(answer.status);
      expect([success, 201, 404]).toContain(answer.status);
      expect(deletion.status).toBe(204);
      await server.settled();
      expect((await ask('GET', `/v1/contacts/${id}`)).status).toBe(404);
    }
    expect(isOver).toBe(true);
    expect(seen).toContain(success);
    expect(await server.journal.segmentMembers('seen')).toEqual([]);
    expect(await server.journal.events()).toEqual([]);
  },
);
