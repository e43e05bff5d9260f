import { expect, test } from 'vitest';
import { field, invalid, notFound, phone } from '../support/reference.js';
import { startWithControl } from './support.js';

const rule = { operation: 'contacts.find', fault: { kind: 'status', status: 503 } } as const;

test('/control/faults takes a rule, tells how often it struck, and takes it back', async () => {
  const { server, ask } = startWithControl({ contacts: [{ phone }] });
  const added = await ask('POST', '/faults', rule);
  expect(added).toMatchObject({ status: 201, body: { id: expect.any(String), rule, injected: 0 } });
  await expect(server.client.contacts.find(phone)).rejects.toMatchObject({ status: 503 });
  expect((await ask('GET', '/faults')).body).toMatchObject({ data: [{ rule, matched: 1, injected: 1 }] });

  const path = `/faults/${field(added.body, 'id')}`;
  expect(await ask('DELETE', path)).toMatchObject({ status: 204, body: undefined });
  expect(await server.client.contacts.find(phone)).not.toBeNull();
  expect(await ask('DELETE', path)).toMatchObject(notFound);
  expect(await ask('POST', '/faults', { ...rule, every: 0 })).toMatchObject(invalid('every'));
  await ask('POST', '/faults', rule);
  expect((await ask('DELETE', '/faults')).status).toBe(204);
  expect((await ask('GET', '/faults')).body).toEqual({ data: [] });
});
