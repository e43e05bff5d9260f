import { describe, expect, test } from 'vitest';
import type { OpenWorkspace } from './opening.js';

const phone = '+12025550100';

export function contactPromises(open: OpenWorkspace): void {
  describe('contacts', () => {
    test('are created once for a phone, then merged', async () => {
      const workspace = await open();
      expect(await workspace.upsertContact({ newId: 'one', phone, properties: { a: 1, b: 1 } })).toEqual({
        contact: { id: 'one', phone, properties: { a: 1, b: 1 }, consent: 'unknown' },
        created: true,
      });
      const merged = { id: 'one', phone, properties: { a: 1, b: 2, c: ['x'] }, consent: 'unknown' };
      expect(await workspace.upsertContact({ newId: 'two', phone, properties: { b: 2, c: ['x'] } })).toEqual({
        contact: merged,
        created: false,
      });
      expect(await workspace.findContactById('one')).toEqual(merged);
      expect(await workspace.findContactByPhone(phone)).toEqual(merged);
      expect(await workspace.findContactById('two')).toBeUndefined();
    });

    test('of one phone are one, however many upserts run at once, and no property is lost', async () => {
      const workspace = await open();
      const upserts = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          workspace.upsertContact({ newId: `contact_${i}`, phone, properties: { [`p${i}`]: i } }),
        ),
      );
      expect(upserts.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(upserts.map(({ contact }) => contact.id)).size).toBe(1);
      const contact = await workspace.findContactByPhone(phone);
      expect(Object.keys(contact?.properties ?? {})).toHaveLength(50);
    });

    test('are updated by merging, at once too; where there is none, nothing is', async () => {
      const workspace = await open();
      await workspace.upsertContact({ newId: 'one', phone, properties: { a: 1 } });
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => workspace.updateContact('one', { [`p${i}`]: i })),
      );
      const updated = await workspace.updateContact('one', { a: 2 });
      expect(updated?.properties).toMatchObject({ a: 2, p0: 0, p19: 19 });
      expect(await workspace.updateContact('two', { a: 1 })).toBeUndefined();
      expect(await workspace.findContactById('two')).toBeUndefined();
    });

    test('keep properties whose names objects have by themselves', async () => {
      const workspace = await open();
      const properties = { constructor: 'a', toString: 'b', hasOwnProperty: true, '': 'c' };
      await workspace.upsertContact({ newId: 'one', phone, properties });
      expect((await workspace.findContactById('one'))?.properties).toEqual(properties);
    });

    test('are deleted once, and their phone is free again', async () => {
      const workspace = await open();
      await workspace.upsertContact({ newId: 'one', phone, properties: { a: 1 } });
      const deletions = await Promise.all(Array.from({ length: 10 }, () => workspace.deleteContact('one')));
      expect(deletions.filter(Boolean)).toHaveLength(1);
      expect(await workspace.findContactById('one')).toBeUndefined();
      expect(await workspace.findContactByPhone(phone)).toBeUndefined();
      expect(await workspace.updateContact('one', {})).toBeUndefined();
      expect(await workspace.upsertContact({ newId: 'two', phone, properties: {} })).toEqual({
        contact: { id: 'two', phone, properties: {}, consent: 'unknown' },
        created: true,
      });
    });
  });
}
