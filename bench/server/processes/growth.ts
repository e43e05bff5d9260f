import { setTimeout as wait } from 'node:timers/promises';
import { createReferenceServer } from '../../../dist/server.js';
import { answerQuestions, type Figures, usedCpu } from '../../measure/other-process.js';
import { apiKey } from './api-key.js';
import { callServer } from './call.js';
import { fillContacts } from './fill-contacts.js';
import { storeOptions } from './store.js';

interface Contact {
  readonly phone: string;
  readonly properties: { readonly firstName: string; readonly visits: number };
}

/** A server that holds so many contacts, and does one operation again and again: `process.argv[2]` says how many. */
const count = Number(process.argv[2]);
const collect = globalThis.gc;
if (!collect) throw new Error('This program needs --expose-gc.');

/** Milliseconds in which other threads sweep what a collection has left; with a large heap that takes a while. */
const sweeping = 1_000;

const segments = [{ id: 'buyers', event: 'order_placed', atLeast: 2 }];
collect();
const before = process.memoryUsage().heapUsed;
const { store } = await storeOptions();
const server = createReferenceServer({ apiKey, segments, ...(store ? { store } : { contacts: seeds() }) });
await call('GET', '/templates');
const onDisk = store && (await fillContacts(count));
collect();
const filled: Figures = { bytes: onDisk ?? (process.memoryUsage().heapUsed - before) / count };

/** Contacts from all over the store, so that memory is not read in the order in which it was written. */
const sample = 4_000;
const contacts: { readonly id: string; readonly phone: string }[] = [];
for (let index = 0; index < sample; index += 1) {
  const phone = phoneOf(Math.floor(((index * 0.618_033_988_749_895) % 1) * count));
  contacts.push({
    id: await idOf(await call('GET', `/contacts/find?phone=${encodeURIComponent(phone)}`)),
    phone,
  });
}
let turn = 0;
const next = () => contacts[turn++ % sample] ?? { id: '', phone: '' };
const added: string[] = [];

const operations: Readonly<Record<string, (index: number) => Promise<unknown>>> = {
  'upsert of a new contact': async (index) => {
    added.push(await idOf(await upsert(count + index)));
  },
  'upsert of an existing contact': (index) =>
    call('POST', '/contacts', { phone: next().phone, properties: { visits: index } }),
  find: () => call('GET', `/contacts/find?phone=${encodeURIComponent(next().phone)}`),
  get: () => call('GET', `/contacts/${next().id}`),
  update: (index) => call('PUT', `/contacts/${next().id}`, { properties: { visits: index } }),
  track: (index) =>
    call('POST', '/events', { event: 'order_placed', contactId: next().id, properties: { total: index } }),
  delete: () => call('DELETE', `/contacts/${added.pop()}`),
};

answerQuestions(filled, {
  async run(input) {
    if (typeof input !== 'object' || input === null) throw new Error('Run what, and how often?');
    const operation = operations[String(Reflect.get(input, 'operation'))];
    if (!operation) throw new Error('There is no such operation.');
    const times = Number(Reflect.get(input, 'times'));
    collect();
    await wait(sweeping);
    const start = performance.now();
    const cpu = usedCpu();
    for (let index = 0; index < times; index += 1) await operation(index);
    await server.settled();
    return { cpu: (usedCpu() - cpu) / times, wall: (performance.now() - start) / times };
  },
});

/** Parsed from JSON in pieces, as what comes in requests is: a string that was put together takes more memory. */
function seeds(): readonly Contact[] {
  const pieces = Array.from({ length: count / 1_000 }, (_, piece) =>
    JSON.stringify(Array.from({ length: 1_000 }, (_, index) => contactOf(piece * 1_000 + index))),
  );
  return pieces.flatMap((piece): Contact[] => JSON.parse(piece));
}

function contactOf(index: number): Contact {
  return { phone: phoneOf(index), properties: { firstName: `Ada ${index}`, visits: index } };
}

function upsert(index: number): Promise<Response> {
  return call('POST', '/contacts', contactOf(index));
}

function call(method: string, path: string, body?: object): Promise<Response> {
  return callServer(server, apiKey, method, `/api/v1${path}`, body);
}

async function idOf(response: Response): Promise<string> {
  const contact: { readonly id: string } = await response.json();
  return contact.id;
}

function phoneOf(index: number): string {
  return `+1${2_000_000_000 + index}`;
}
