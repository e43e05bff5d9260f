import { expect } from 'vitest';
import { atOnce, type Promises } from './opening.js';

const phone = '+12025550100';

export const contactPromises: Promises = {
  'are created once for a phone, then merged': async ({ open }) => {
    const workspace = await open();
    const first = { newId: 'one', phone, properties: { a: 1, b: 1 } };
    expect(await workspace.upsertContact(first, 'merge')).toEqual({
      contact: { id: 'one', phone, properties: { a: 1, b: 1 }, consent: 'unknown' },
      created: true,
    });
    const merged = { id: 'one', phone, properties: { a: 1, b: 2, c: ['x'] }, consent: 'unknown' };
    const second = { newId: 'two', phone, properties: { b: 2, c: ['x'] } };
    expect(await workspace.upsertContact(second, 'merge')).toEqual({ contact: merged, created: false });
    expect(await workspace.findContactById('one')).toEqual(merged);
    expect(await workspace.findContactByPhone(phone)).toEqual(merged);
    expect(await workspace.findContactById('two')).toBeUndefined();
  },

  'have other properties instead where they are to be replaced': async ({ open }) => {
    const workspace = await open();
    await workspace.upsertContact({ newId: 'one', phone, properties: { a: 1, b: 1 } }, 'replace');
    const second = { newId: 'two', phone, properties: { c: 1 } };
    const { contact } = await workspace.upsertContact(second, 'replace');
    expect(contact).toEqual({ id: 'one', phone, properties: { c: 1 }, consent: 'unknown' });
    expect(await workspace.findContactById('one')).toEqual(contact);
    expect(await workspace.findContactByPhone(phone)).toEqual(contact);
  },

  'of one phone are one, however many upserts run at once, and no property is lost': async ({ open }) => {
    const workspace = await open();
    const upserts = await atOnce(50, (i) =>
      workspace.upsertContact({ newId: `contact_${i}`, phone, properties: { [`p${i}`]: i } }, 'merge'),
    );
    expect(upserts.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(upserts.map(({ contact }) => contact.id)).size).toBe(1);
    const contact = await workspace.findContactByPhone(phone);
    expect(Object.keys(contact?.properties ?? {})).toHaveLength(50);
    expect(await workspace.listContacts()).toEqual([contact]);
  },

  'are updated by merging, at once too; where there is none, nothing is': async ({ open }) => {
    const workspace = await open();
    await workspace.upsertContact({ newId: 'one', phone, properties: { a: 1 } }, 'merge');
    await atOnce(20, (i) => workspace.updateContact('one', { [`p${i}`]: i }));
    const updated = await workspace.updateContact('one', { a: 2 });
    expect(updated?.properties).toMatchObject({ a: 2, p0: 0, p19: 19 });
    expect(await workspace.findContactByPhone(phone)).toEqual(updated);
    expect(await workspace.updateContact('two', { a: 1 })).toBeUndefined();
    expect(await workspace.findContactById('two')).toBeUndefined();
  },

  'keep properties whose names objects have by themselves': async ({ open }) => {
    const workspace = await open();
    const properties = { constructor: 'a', toString: 'b', hasOwnProperty: true, '': 'c' };
    await workspace.upsertContact({ newId: 'one', phone, properties }, 'merge');
    expect((await workspace.findContactById('one'))?.properties).toEqual(properties);
  },

  'that were read stay as they were': async ({ open }) => {
    const workspace = await open();
    await workspace.upsertContact({ newId: 'one', phone, properties: { a: 1 } }, 'merge');
    const [before] = await workspace.listContacts();
    await workspace.updateContact('one', { a: 2 });
    await workspace.deleteContact('one');
    expect(before).toEqual({ id: 'one', phone, properties: { a: 1 }, consent: 'unknown' });
  },

  'are listed in the order in which they were created': async ({ open }) => {
    const workspace = await open();
    for (const [i, newId] of ['b', 'a', 'c'].entries()) {
      await workspace.upsertContact({ newId, phone: `${phone}${i}`, properties: {} }, 'merge');
    }
    await workspace.updateContact('b', { a: 1 });
    expect((await workspace.listContacts()).map(({ id }) => id)).toEqual(['b', 'a', 'c']);
  },

  'are deleted once, and their phone is free again': async ({ open }) => {
    const workspace = await open();
    await workspace.upsertContact({ newId: 'one', phone, properties: { a: 1 } }, 'merge');
    const deletions = await atOnce(10, () => workspace.deleteContact('one'));
    expect(deletions.filter(Boolean)).toHaveLength(1);
    expect(await workspace.findContactById('one')).toBeUndefined();
    expect(await workspace.findContactByPhone(phone)).toBeUndefined();
    expect(await workspace.updateContact('one', {})).toBeUndefined();
    expect(await workspace.listContacts()).toEqual([]);
    expect(await workspace.upsertContact({ newId: 'two', phone, properties: {} }, 'merge')).toEqual({
      contact: { id: 'two', phone, properties: {}, consent: 'unknown' },
      created: true,
    });
  },
};
