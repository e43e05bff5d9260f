import { expect } from 'vitest';
import { allOf, type Page, type PageRange } from '../../../src/server/model/page.js';
import type { ContactRecord, DeliveryRecord, SendRecord } from '../../../src/server/model/records.js';
import type { WorkspaceStore } from '../../../src/server/store/store.js';
import { eventNamed, withContacts } from './events.js';
import { runNamed, start } from './journey-runs.js';
import { claimOf, type Opening, type Promises } from './opening.js';
import { outboxEvent, receive } from './receiving.js';
import { begin, sendNamed } from './sends.js';
import { subscription } from './subscriptions.js';

type Read = (range: PageRange) => Promise<Page<{ readonly id: string }>>;

const quotes = 'Ada "the first" \\ \0\ud800 é';

/** Every list of a workspace, as a function that reads a page of it. */
function lists({ contacts, events, journeys, sends, outbox }: WorkspaceStore): Record<string, Read> {
  return {
    contacts: (range) => contacts.page({}, range),
    events: (range) => events.page({}, range),
    journeyRuns: (range) => journeys.pageOfRuns(range),
    sends: (range) => sends.page({ status: 'sent' }, range),
    deliveries: (range) => outbox.page({}, range),
  };
}

async function idsOf(read: Read): Promise<readonly string[]> {
  return (await allOf(read)).map(({ id }) => id);
}

/** Reads the pages of a list from a cursor on. */
async function pagesOf(read: Read, limit: number, from = 0): Promise<readonly (readonly string[])[]> {
  const pages: string[][] = [];
  for (let after = from; ; ) {
    const { data, more, cursor } = await read({ after, limit });
    pages.push(data.map(({ id }) => id));
    if (!more) return pages;
    after = Number(cursor);
  }
}

function contact(id: string, properties: ContactRecord['properties'], consent: ContactRecord['consent']) {
  return { id, phone: `+1202555010${id.length}`, properties, consent };
}

function send(id: string, fields: Partial<SendRecord> = {}): SendRecord {
  return { ...sendNamed(id), status: 'sent', paidBy: 'plan', ...fields };
}

function delivery(id: string, data: object, fields: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    id,
    subscriptionId: 'one',
    event: 'message.received',
    url: 'http://127.0.0.1/',
    body: new TextEncoder().encode(JSON.stringify({ event: 'message.received', data })),
    status: 'delivered',
    attempts: [],
    createdAt: 1,
    ...fields,
  };
}

/** A workspace with three records of each kind. */
async function withThree(opening: Opening): Promise<WorkspaceStore> {
  const workspace = await withContacts(opening, { quota: 10 });
  await workspace.subscriptions.create(subscription);
  await start(workspace, runNamed('run a'), runNamed('run b'), runNamed('run c'));
  for (const id of ['a', 'b', 'c']) {
    await workspace.sends.settle((await begin(workspace, id)).claim, { accepted: true });
    if (id !== 'c') await workspace.recordEvent(eventNamed(id));
    await receive(workspace, outboxEvent(1));
  }
  return workspace;
}

export const pagePromises: Promises = {
  'have each record once, in order, and say whether more follow': async (opening) => {
    const [one, two] = [await withThree(opening), await withThree(opening)];
    for (const [name, read] of Object.entries(lists(one))) {
      const ids = await idsOf(read);
      expect(ids, name).toHaveLength(3);
      expect(await pagesOf(read, 1), name).toEqual(ids.map((id) => [id]));
      expect(await pagesOf(read, 2), name).toEqual([ids.slice(0, 2), ids.slice(2)]);
      expect(await pagesOf(read, 3), name).toEqual([ids]);
      const end = Number((await read({ after: 0, limit: 3 })).cursor);
      expect(await read({ after: end, limit: 3 })).toEqual({ data: [], more: false, cursor: `${end}` });
      expect(await read({ after: 0, limit: 0 })).toEqual({ data: [], more: true, cursor: '0' });
    }
    for (const read of Object.values(lists(two))) expect(await idsOf(read)).toHaveLength(3);
    for (const read of Object.values(lists(await opening.open()))) {
      expect(await read({ after: 7, limit: 1 })).toEqual({ data: [], more: false, cursor: '7' });
    }
  },

  'continue after a cursor when records before it are deleted, and when the state is replaced': async (
    opening,
  ) => {
    const [one, two] = [await withThree(opening), await withThree(opening)];
    const read = lists(one).contacts as Read;
    const { cursor } = await read({ after: 0, limit: 2 });
    await one.deleteContact('one');
    await two.deleteContact('sender');
    expect(await pagesOf(read, 1, Number(cursor))).toEqual([['sender']]);
    await one.contacts.upsert({ newId: 'four', phone: '+12025550104', properties: {} }, 'merge');
    expect(await pagesOf(read, 1, Number(cursor))).toEqual([['sender'], ['four']]);
    const ends = Object.entries(lists(one)).map(async ([name, each]) => {
      return [name, Number((await each({ after: 0, limit: 10 })).cursor)] as const;
    });
    const atEnd = await Promise.all(ends);
    await one.replaceState(await two.readState());
    for (const [name, end] of atEnd) {
      const each = lists(one)[name] as Read;
      expect(await pagesOf(each, 10, end), name).toEqual([await idsOf(each)]);
    }
  },

  'take no further record at 16 MiB, however many are wanted': async ({ open }) => {
    const workspace = await open({ quota: 1 });
    const text = 'x'.repeat(3 * 1024 * 1024);
    const state = await workspace.readState();
    await workspace.replaceState({
      ...state,
      sends: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => send(id, { text })),
      deliveries: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => delivery(id, { text })),
    });
    const { sends, deliveries } = lists(workspace);
    expect(await pagesOf(sends as Read, 10_000)).toEqual([
      ['a', 'b', 'c', 'd', 'e', 'f'],
      ['g', 'h'],
    ]);
    expect(await pagesOf(deliveries as Read, 6)).toEqual([['a', 'b', 'c', 'd', 'e', 'f'], ['g']]);
  },

  'show a send that is accepted late after those that were accepted before': async ({ open }) => {
    const workspace = await open({ quota: 3 });
    const [late, early, never] = [
      await begin(workspace, 'late'),
      await begin(workspace, 'early'),
      await begin(workspace, 'never'),
    ];
    await workspace.sends.settle(early.claim, { accepted: true });
    const read = lists(workspace).sends as Read;
    const { data, cursor } = await read({ after: 0, limit: 1 });
    expect(data).toMatchObject([{ id: 'early' }]);
    await workspace.sends.settle(late.claim, { accepted: true });
    await workspace.sends.settle(never.claim, { accepted: false, refund: false });
    expect(await pagesOf(read, 1, Number(cursor))).toEqual([['late']]);
  },

  'of contacts have those with a phone, a consent and properties': async ({ open }) => {
    const workspace = await open();
    await workspace.replaceState({
      ...(await workspace.readState()),
      contacts: [
        contact('1', { city: 'Paris', age: 5, tags: ['a', 'b'], [quotes]: quotes }, 'opted_in'),
        contact('22', { city: 'Par', age: '5', tags: ['b]', '"a"'], ok: true }, 'opted_out'),
        contact('333', { town: 'Paris', age: 55, tags: ['x', quotes] }, 'opted_in'),
        contact('4444', { city: '"city":"Paris"', age: -5.5, tags: [] }, 'unknown'),
      ],
    });
    const found = async (filter: Parameters<WorkspaceStore['contacts']['page']>[0]) =>
      idsOf((range) => workspace.contacts.page(filter, range));
    expect(await found({ phone: '+12025550102' })).toEqual(['22']);
    expect(await found({ consent: 'opted_in' })).toEqual(['1', '333']);
    expect(await found({ consent: 'opted_in', properties: { city: 'Paris' } })).toEqual(['1']);
    expect(await found({ properties: { age: 5 } })).toEqual(['1', '22']);
    expect(await found({ properties: { age: '-5.5' } })).toEqual(['4444']);
    expect(await found({ properties: { age: '.5' } })).toEqual([]);
    expect(await found({ properties: { ok: true, city: 'Par' } })).toEqual(['22']);
    expect(await found({ properties: { tags: 'a' } })).toEqual(['1']);
    expect(await found({ properties: { tags: '"a"' } })).toEqual(['22']);
    for (const tags of ['', '[', ']', 'b]', 'a,b', '["a","b"]']) {
      expect(await found({ properties: { tags } }), tags).toEqual(tags === 'b]' ? ['22'] : []);
    }
    expect(await found({ properties: { [quotes]: quotes } })).toEqual(['1']);
    expect(await found({ properties: { tags: quotes } })).toEqual(['333']);
    expect(await found({ properties: { constructor: 'Object' } })).toEqual([]);
  },

  'of events have those of a contact and with a name': async (opening) => {
    const workspace = await withContacts(opening);
    for (const [id, contactId, name] of [
      ['a', 'one', 'seen'],
      ['b', 'two', 'seen'],
      ['c', 'one', quotes],
    ] as const) {
      await workspace.recordEvent(eventNamed(id, contactId, name));
    }
    const found = (fields: Parameters<WorkspaceStore['events']['page']>[0]) =>
      idsOf((range) => workspace.events.page(fields, range));
    expect(await found({ contactId: 'one' })).toEqual(['a', 'c']);
    expect(await found({ event: 'seen' })).toEqual(['a', 'b']);
    expect(await found({ event: quotes, contactId: 'one' })).toEqual(['c']);
    expect(await found({ event: quotes, contactId: 'two' })).toEqual([]);
  },

  'of sends have those of a contact, a template, a text and a journey run': async ({ open }) => {
    const workspace = await open({ quota: 1 });
    await workspace.replaceState({
      ...(await workspace.readState()),
      sends: [
        send('a', { contactId: 'other', phone: '+1202555', variables: { '1': '"phone":"+1"' } }),
        send('b', { templateId: quotes, text: quotes, journeyRunId: quotes }),
        send('c', { text: '"templateId":"bye"', journeyRunId: 'run' }),
      ],
    });
    claimOf(await workspace.sends.begin(send('pending', { templateId: quotes })));
    const found = (fields: Parameters<WorkspaceStore['sends']['page']>[0]) =>
      idsOf((range) => workspace.sends.page({ status: 'sent', ...fields }, range));
    expect(await found({ contactId: 'contact_1' })).toEqual(['b', 'c']);
    expect(await found({ phone: '+1202555' })).toEqual(['a']);
    expect(await found({ phone: '+1' })).toEqual([]);
    expect(await found({ templateId: quotes })).toEqual(['b']);
    expect(await found({ templateId: 'bye' })).toEqual([]);
    expect(await found({ text: quotes, journeyRunId: quotes })).toEqual(['b']);
    expect(await found({ text: quotes, journeyRunId: 'run' })).toEqual([]);
    expect(await found({ journeyRunId: 'run' })).toEqual(['c']);
  },

  'of deliveries have those of a contact, an event, a subscription and a status': async ({ open }) => {
    const workspace = await open();
    const data = { messageId: 'm', contactId: 'contact_1', phone: '+1202555', body: '"phone":"+1"' };
    await workspace.replaceState({
      ...(await workspace.readState()),
      deliveries: [
        delivery('a', data, { subscriptionId: 'other' }),
        delivery('b', { ...data, contactId: quotes, phone: '+1' }, { status: 'failed' }),
        delivery('c', { contactId: 'contact_1' }, { event: 'contact.opted_out', status: 'failed' }),
        delivery('d', {}, { status: 'cancelled' }),
        delivery('e', {}, { body: new TextEncoder().encode('no JSON') }),
        delivery('f', {}, { body: new TextEncoder().encode('null') }),
      ],
    });
    const found = (fields: Parameters<WorkspaceStore['outbox']['page']>[0]) =>
      idsOf((range) => workspace.outbox.page(fields, range));
    expect(await found({ contactId: 'contact_1' })).toEqual(['a', 'c']);
    expect(await found({ contactId: quotes })).toEqual(['b']);
    expect(await found({ phone: '+1202555' })).toEqual(['a']);
    expect(await found({ phone: '+1' })).toEqual(['b']);
    expect(await found({ status: 'failed' })).toEqual(['b', 'c']);
    expect(await found({ status: 'failed', event: 'contact.opted_out' })).toEqual(['c']);
    expect(await found({ subscriptionId: 'other' })).toEqual(['a']);
    expect(await found({ subscriptionId: 'other', status: 'failed' })).toEqual([]);
    expect(await workspace.outbox.find('b')).toMatchObject({ id: 'b', status: 'failed' });
    expect(await workspace.outbox.find('none')).toBeUndefined();
  },
};
