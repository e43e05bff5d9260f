import { expect } from 'vitest';
import { atOnce, listed, type Promises } from './opening.js';

const phone = '+12025550100';

export const contactPromises: Promises = {
  'are created once for a phone, then merged or replaced, whatever the names of their properties': async ({
    open,
  }) => {
    const workspace = await open();
    const first = { newId: 'one', phone, properties: { a: 1, b: 1 } };
    expect(await workspace.contacts.upsert(first, 'merge')).toEqual({
      contact: { id: 'one', phone, properties: { a: 1, b: 1 }, consent: 'unknown' },
      created: true,
    });
    const merged = { id: 'one', phone, properties: { a: 1, b: 2, c: ['x'] }, consent: 'unknown' };
    const second = { newId: 'two', phone, properties: { b: 2, c: ['x'] } };
    expect(await workspace.contacts.upsert(second, 'merge')).toEqual({ contact: merged, created: false });
    expect(await workspace.contacts.findById('one')).toEqual(merged);
    expect(await workspace.contacts.findByPhone(phone)).toEqual(merged);
    expect(await workspace.contacts.findById('two')).toBeUndefined();
    const properties = { constructor: 'a', toString: 'b', hasOwnProperty: true, '': 'c' };
    const { contact } = await workspace.contacts.upsert({ newId: 'three', phone, properties }, 'replace');
    expect(contact).toEqual({ id: 'one', phone, properties, consent: 'unknown' });
    expect(await workspace.contacts.findById('one')).toEqual(contact);
    expect(await workspace.contacts.findByPhone(phone)).toEqual(contact);
  },

  'of one phone are one, however many upserts run at once, and no property is lost': async ({ open }) => {
    const workspace = await open();
    const upserts = await atOnce(50, (i) =>
      workspace.contacts.upsert({ newId: `contact_${i}`, phone, properties: { [`p${i}`]: i } }, 'merge'),
    );
    expect(upserts.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(upserts.map(({ contact }) => contact.id)).size).toBe(1);
    const contact = await workspace.contacts.findByPhone(phone);
    expect(Object.keys(contact?.properties ?? {})).toHaveLength(50);
    expect(await listed(workspace.contacts)).toEqual([contact]);
    expect(await workspace.contacts.count()).toBe(1);
    expect(await (await open()).contacts.count()).toBe(0);
  },

  'are updated by merging, at once too; where there is none, nothing is': async ({ open }) => {
    const workspace = await open();
    await workspace.contacts.upsert({ newId: 'one', phone, properties: { a: 1 } }, 'merge');
    await atOnce(20, (i) => workspace.contacts.update('one', { [`p${i}`]: i }));
    const updated = await workspace.contacts.update('one', { a: 2 });
    expect(updated?.properties).toMatchObject({ a: 2, p0: 0, p19: 19 });
    expect(await workspace.contacts.findByPhone(phone)).toEqual(updated);
    expect(await workspace.contacts.update('two', { a: 1 })).toBeUndefined();
    expect(await workspace.contacts.findById('two')).toBeUndefined();
  },

  'are not created with the id of another one, and nothing waits for that': async ({ open }) => {
    const [workspace, other] = [await open(), await open()];
    await workspace.contacts.upsert({ newId: 'one', phone, properties: {} }, 'merge');
    const upsert = ({ contacts }: typeof workspace, newId: string, of: string) =>
      contacts
        .upsert({ newId, phone: of, properties: {} }, 'merge')
        .then(({ contact }) => contact.id, String);
    const refused =
      'Error: Another contact of this workspace already has the id for this one. Nothing was changed.';
    expect(
      await Promise.all([
        upsert(workspace, 'one', `${phone}1`),
        upsert(workspace, 'new', `${phone}2`),
        upsert(workspace, 'not used', phone),
        upsert(other, 'one', `${phone}1`),
      ]),
    ).toEqual([refused, 'new', 'one', 'one']);
    const contact = { newId: 'new', phone: `${phone}3`, properties: {} };
    const received = workspace.receiveMessage({ contact, consent: undefined, compose: () => [] });
    expect(await received.catch(String)).toBe(refused);
    expect((await listed(workspace.contacts)).map(({ id }) => id)).toEqual(['one', 'new']);
    expect(await listed(other.contacts)).toMatchObject([{ id: 'one', phone: `${phone}1` }]);
  },

  'that were read stay as they were': async ({ open }) => {
    const workspace = await open();
    await workspace.contacts.upsert({ newId: 'one', phone, properties: { a: 1 } }, 'merge');
    const [before] = await listed(workspace.contacts);
    await workspace.contacts.update('one', { a: 2 });
    await workspace.deleteContact('one');
    expect(before).toEqual({ id: 'one', phone, properties: { a: 1 }, consent: 'unknown' });
  },

  'are listed in the order in which they were created': async ({ open }) => {
    const workspace = await open();
    for (const [i, newId] of ['b', 'a', 'c'].entries()) {
      await workspace.contacts.upsert({ newId, phone: `${phone}${i}`, properties: {} }, 'merge');
    }
    await workspace.contacts.update('b', { a: 1 });
    expect((await listed(workspace.contacts)).map(({ id }) => id)).toEqual(['b', 'a', 'c']);
  },

  'are deleted once, and their phone is free again': async ({ open }) => {
    const workspace = await open();
    await workspace.contacts.upsert({ newId: 'one', phone, properties: { a: 1 } }, 'merge');
    const deletions = await atOnce(10, () => workspace.deleteContact('one'));
    expect(deletions.filter(Boolean)).toHaveLength(1);
    expect(await workspace.contacts.findById('one')).toBeUndefined();
    expect(await workspace.contacts.findByPhone(phone)).toBeUndefined();
    expect(await workspace.contacts.update('one', {})).toBeUndefined();
    expect(await listed(workspace.contacts)).toEqual([]);
    expect(await workspace.contacts.upsert({ newId: 'two', phone, properties: {} }, 'merge')).toEqual({
      contact: { id: 'two', phone, properties: {}, consent: 'unknown' },
      created: true,
    });
  },
};
