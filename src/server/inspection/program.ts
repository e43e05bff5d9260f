import type { JournalEntry, RequestEntry } from '../model/journal-entry.js';
import type { SendRecord } from '../model/records.js';
import { problemWithUrl } from '../service/address-policy.js';
import { inLargestUnit } from '../time/duration.js';
import { callOf, isOfSdk, partsOf, type RequestParts } from './calls.js';
import { literal, parsed, textIn } from './code.js';
import { describeEntry, type NumberedEntry } from './inspection.js';
import {
  type Act,
  exampleWebhook,
  isUnknown,
  phoneOf,
  responsesIn,
  type Story,
  type Surroundings,
  storyOf,
  urlIn,
  worldOf,
} from './story.js';

/** Writes a test that repeats entries in a workspace of its own, without a network, and asserts that they happen. */
export function testOf(entries: readonly NumberedEntry[], surroundings: Surroundings): string {
  const story = storyOf(entries, surroundings);
  const [entry] = entries;
  const title =
    entry === undefined || entries.length > 1 ? 'what was recorded happens again' : describeEntry(entry);
  const lines = [
    ...receiversOf(story),
    ...serverOf('await using', story, surroundings),
    '',
    ...stepsOf(story, surroundings, ({ asserted }) => asserted),
    ...lastsUntil(story),
    '',
    ...assertionsOf(entries, story),
  ];
  const ofVitest = lines.some((line) => line.includes('expect(')) ? 'expect, test' : 'test';
  return `import { createReferenceServer } from 'messaging-automation/server';
import { ${ofVitest} } from 'vitest';

test(${literal(title)}, async () => {
${indented(lines)}});
`;
}

/** Writes a program that repeats an entry in a workspace of its own, without a network, and prints it. */
export function programOf(entry: NumberedEntry, surroundings: Surroundings): string {
  const story = storyOf([entry], surroundings);
  return `import { createReferenceServer } from 'messaging-automation/server';

${[
  ...receiversOf(story),
  ...serverOf('const', story, surroundings),
  '',
  ...stepsOf(story, surroundings, ({ call }) => `await ${call}.catch(console.log);`),
  ...lastsUntil(story),
  `console.log(await server.journal.find(${literal(entry.type)}));`,
  'await server.close();',
].join('\n')}
`;
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => (line === '' ? '\n' : `  ${line.replaceAll('\n', '\n  ')}\n`)).join('');
}

/** The responses of the receivers, so that the program needs no network. */
function receiversOf(story: Story): readonly string[] {
  const responses = [...responsesIn(story)];
  if (responses.length === 0) return [];
  return [
    '// What each receiver returns, in turn: a status, or the error of the connection.',
    `const responses = new Map(${listed(responses)});`,
  ];
}

/** Writes a list with a line for each item. */
function listed(items: readonly unknown[]): string {
  return `[\n${items.map((item) => `  ${literal(item, '  ')},\n`).join('')}]`;
}

function serverOf(declared: string, story: Story, surroundings: Surroundings): readonly string[] {
  const world = worldOf(story, surroundings);
  const options = Object.entries(world).map(([name, value]) => `  ${name}: ${literal(value, '  ')},`);
  const { managedWebhooks = [] } = world;
  const isElsewhere = managedWebhooks.some(({ url }) => problemWithUrl(url, 'loopback') !== undefined);
  return [
    `${declared} server = createReferenceServer({`,
    ...options,
    ...(isElsewhere ? ["  receiverAddresses: 'any',"] : []),
    ...fetchOf(story, managedWebhooks.length > 0),
    '});',
  ];
}

function fetchOf(story: Story, hasReceivers: boolean): readonly string[] {
  if (responsesIn(story).size > 0) {
    return [
      '  fetch: async (url) => {',
      '    const response = responses.get(String(url))?.shift() ?? 200;',
      "    if (typeof response === 'string') throw new Error(response);",
      '    return new Response(null, { status: response });',
      '  },',
    ];
  }
  return hasReceivers ? ["  fetch: async () => new Response('The receiver accepts.'),"] : [];
}

/** A call of a program, and the statement of a test that asserts its outcome. */
interface Call {
  readonly call: string;
  readonly asserted: string;
}

/** The time of a program's server, which moves by whole seconds. */
const tick = 1_000;

/** Returns the steps that carry out the acts at their times, each after what followed from the last. */
function stepsOf(story: Story, surroundings: Surroundings, write: (call: Call) => string): readonly string[] {
  const ids = new Map<string, string>();
  const settling = story.entries.some(isInBackground) ? [settled] : [];
  let now = story.acts[0]?.at ?? 0;
  return story.acts.flatMap((act, index) => {
    const advanced = advancing(act.at - now);
    if (advanced.length > 0) now = act.at;
    const waited = advanced.length > 0 || index === 0 ? advanced : settling;
    return [...waited, ...stepOf(act, story, surroundings, ids, write)];
  });
}

const settled = 'await server.settled();';

/** Whether the server does this after it has responded. */
function isInBackground({ type }: NumberedEntry): boolean {
  return type !== 'request' && type !== 'message' && type !== 'event';
}

function advancing(by: number): readonly string[] {
  if (by < tick) return [];
  return [`await server.clock.advance(${literal(inLargestUnit(Math.ceil(by / tick) * tick))});`];
}

function stepOf(
  act: Act,
  story: Story,
  surroundings: Surroundings,
  ids: Map<string, string>,
  write: (call: Call) => string,
): readonly string[] {
  switch (act.type) {
    case 'message':
      return [`await server.contact(${literal(act.phone)}).says(${literal(act.body)});`];
    case 'redelivery':
      return [
        `await server.deliveries.redeliver((await server.journal.deliveries())[${act.index}]?.id ?? '');`,
      ];
    case 'request': {
      const parts = partsOf(act);
      const statement = write(callIn(act, parts));
      // An id that nothing had stays as it is.
      const named = isUnknown(act) ? undefined : idIn(parts, story, surroundings);
      if (named === undefined) return [statement];
      const { id, kind, found } = named;
      const known = ids.get(id);
      const name = known ?? `${kind}${ids.size === 0 ? '' : ids.size + 1}`;
      ids.set(id, name);
      return [
        ...(known === undefined ? [`const ${name} = ${found}?.id ?? '';`] : []),
        statement.replaceAll(literal(id), name),
      ];
    }
  }
}

/** Returns the id that a request names, with the expression that finds it in a program, where it is another. */
function idIn(
  { operation, inPath, body = '' }: RequestParts,
  { acts }: Story,
  surroundings: Surroundings,
): { readonly id: string; readonly kind: string; readonly found: string } | undefined {
  const id = inPath.id ?? textIn(parsed(body), 'contactId');
  if (id === undefined) return undefined;
  if (operation.startsWith('webhooks.')) {
    const created = acts.find(
      (act) => act.type === 'request' && act.responseBody?.includes(JSON.stringify(id)),
    );
    const url = created?.type === 'request' ? textIn(parsed(partsOf(created).body ?? ''), 'url') : undefined;
    const where = `({ url }) => url === ${literal(url ?? exampleWebhook.url)}`;
    return { id, kind: 'webhookId', found: `(await server.subscriptions.list()).find(${where})` };
  }
  const phone = phoneOf(id, surroundings);
  if (phone === undefined) return undefined;
  return { id, kind: 'contactId', found: `(await server.contacts.read(${literal(phone)}))` };
}

/** How long a program waits for a response that never comes. In milliseconds. */
const patience = 500;

function callIn(act: RequestEntry, parts: RequestParts): Call {
  const { operation, status, faults = [] } = act;
  if (status !== undefined && status >= 400 && faults.length === 0 && !isOfSdk(parts)) {
    const call = rawCall(parts);
    return { call, asserted: `expect(await ${call}).toMatchObject({ status: ${status} });` };
  }
  const holds = faults.some(({ kind }) => kind === 'stall' || kind === 'latency');
  const call = `server.client.${callOf(parts, holds ? { timeout: patience } : undefined)}`;
  const rejects = (error: object) => `await expect(${call}).rejects.toMatchObject(${literal(error)});`;
  if (holds) return { call, asserted: rejects({ name: 'TimeoutError' }) };
  if (status === undefined) return { call, asserted: rejects({ name: 'ConnectionError' }) };
  if (status === 404 && operation === 'contacts.find')
    return { call, asserted: `expect(await ${call}).toBeNull();` };
  if (status >= 400) return { call, asserted: rejects({ status }) };
  // Whether the client can use a changed body depends on the change.
  return { call, asserted: `await ${call}${faults.length > 0 ? '.catch(() => undefined)' : ''};` };
}

/** Returns the request without the client, which would reject its input. */
function rawCall({ method, path, body }: RequestParts): string {
  return `server.fetch(
  new Request(${literal(`http://reference-server.test${path}`)}, {
    method: ${literal(method)},
    headers: { Authorization: \`Bearer \${server.apiKey}\`, 'Content-Type': 'application/json' },${
      body === undefined ? '' : `\n    body: ${literal(body)},`
    }
  }),
)`;
}

/** Returns the step that waits for everything that follows from the acts. */
function lastsUntil({ acts, entries }: Story): readonly string[] {
  const later = entries.filter(({ type }) => type !== 'request').at(-1);
  const left = (later?.at ?? 0) - (acts.at(-1)?.at ?? 0);
  if (left >= tick) return advancing(left);
  return entries.some(isInBackground) ? [settled] : [];
}

/** Asserts the entries, after what happened before them in the same story. */
function assertionsOf(entries: readonly NumberedEntry[], story: Story): readonly string[] {
  const types = [...new Set(entries.map(({ type }) => type))];
  return types.flatMap((type) => {
    const found = type === 'request' ? story.acts : story.entries;
    const expected = found.filter((each) => each.type === type);
    const [only, ...others] = expected;
    if (only?.type === 'send' && others.length === 0) return receiving(only.send);
    if (type !== 'attempt') return [assertionOf(type, expected)];
    // Deliveries to several receivers have no order among each other.
    const streams = new Map<string, (JournalEntry | Act)[]>();
    for (const each of expected) {
      if (each.type !== 'attempt') continue;
      const { event, url } = each.delivery;
      const where = `delivery.event === ${literal(event)} && delivery.url === ${literal(urlIn({ url }))}`;
      streams.set(where, [...(streams.get(where) ?? []), each]);
    }
    return streams.size === 1
      ? [assertionOf(type, expected)]
      : [...streams].map(([where, ofStream]) => assertionOf(type, ofStream, where));
  });
}

/** Asserts a message that has no other beside it. The order of several counts, too. */
function receiving({ phone, templateId, text }: SendRecord): string {
  return `await server.contact(${literal(phone)}).receives(${literal(templateId)}, ${literal({ text })});`;
}

function assertionOf(
  type: JournalEntry['type'],
  expected: readonly (JournalEntry | Act)[],
  where?: string,
): string {
  const selected = where === undefined ? '' : `, ({ delivery }) => ${where}`;
  const found = `await server.journal.find(${literal(type)}${selected})`;
  // More attempts and steps can follow, which are not a part of the test.
  const isAll = type === 'request' || type === 'message' || type === 'event';
  const compared = isAll ? found : `(${found}).slice(0, ${expected.length})`;
  return `expect(${compared}).toMatchObject(${listed(expected.map(expectationOf))});`;
}

/** What a test asserts of an entry: all but ids and times. */
function expectationOf(entry: JournalEntry | Act): object {
  switch (entry.type) {
    case 'request': {
      const { operation, status } = entry;
      return { operation, ...(status !== undefined && { status }) };
    }
    case 'send': {
      const { phone, templateId, text } = entry.send;
      return { send: { phone, templateId, text } };
    }
    case 'event': {
      const { event, properties } = entry.event;
      return { phone: entry.phone, event: { event, properties } };
    }
    case 'message': {
      const { phone, body, consent } = entry;
      return { phone, body, ...(consent && { consent }) };
    }
    case 'attempt': {
      const { event, status } = entry.delivery;
      const { number, status: received, error, responseInterrupted } = entry.attempt;
      const isWhole = received !== undefined && received <= 599 && responseInterrupted === undefined;
      const outcome = isWhole ? { status: received } : { error };
      return { delivery: { event, url: urlIn(entry.delivery), status }, attempt: { number, ...outcome } };
    }
    case 'journey': {
      const { journeyId, status, position, error } = entry.run;
      return { run: { journeyId, status, position, ...(error !== undefined && { error }) } };
    }
    case 'redelivery':
      return {};
    case 'fault':
      return 'event' in entry
        ? { event: entry.event, fault: entry.fault }
        : { operation: entry.operation, fault: entry.fault };
  }
}
