import type { EntryOf } from '../model/journal-entry.js';
import { isListenerUrl, receiverUrl } from '../model/listener.js';
import { literal, parsed, textIn } from './code.js';
import type { NumberedEntry } from './inspection.js';
import {
  callOf,
  callOfEvent,
  callOfMessage,
  callOfSend,
  causeOf,
  contactNamed,
  creating,
  deliveryStep,
  examplePhone,
  isOfSdk,
  journeySteps,
  partsOf,
  type RequestParts,
  type Surroundings,
} from './replay.js';

/** Writes a test that repeats an entry and asserts that it happens. */
export function testOf(entry: NumberedEntry, surroundings: Surroundings): string {
  return `import { createReferenceServer, parseWorkspaceSeed } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import seed from './seed.json' with { type: 'json' }; // the workspace: GET /control/seed

test(${literal(titleOf(entry))}, async () => {
  await using server = createReferenceServer({ ...parseWorkspaceSeed(seed), clock: 'frozen', faults: [] });
${stepsOf(entry, surroundings)
  .map((step) => `  ${step.replaceAll('\n', '\n  ')}\n`)
  .join('')}});
`;
}

function titleOf(entry: NumberedEntry): string {
  switch (entry.type) {
    case 'request':
      return `${entry.operation} is answered as before`;
    case 'send':
      return `${entry.send.templateId} is sent`;
    case 'event':
      return `${entry.event.event} is tracked`;
    case 'message':
      return 'a contact writes';
    case 'attempt':
      return `${entry.delivery.event} is delivered as before`;
    case 'journey':
      return `${entry.run.journeyId} runs`;
    case 'fault':
      return `the fault ${entry.fault.kind} strikes`;
  }
}

function stepsOf(entry: NumberedEntry, surroundings: Surroundings): readonly string[] {
  switch (entry.type) {
    case 'request':
      return requestSteps(entry, surroundings);
    case 'message':
      return [callOfMessage(entry), ...latestIs('message', { phone: entry.phone, body: entry.body })];
    case 'send': {
      const { phone, templateId, text, journeyRunId } = entry.send;
      const run = journeyRunId === undefined ? undefined : causeOf(entry, surroundings);
      return [
        ...(run === undefined
          ? [...creating(phone, surroundings), `await server.client.${callOfSend(entry.send)};`]
          : journeySteps(run, surroundings)),
        `const sends = await server.sends.find(${literal({ contact: phone, templateId })});`,
        `expect(sends.map(({ text }) => text)).toContain(${literal(text)});`,
      ];
    }
    case 'event': {
      const { event, properties } = entry.event;
      return [
        ...creating(entry.phone, surroundings),
        `await server.client.${callOfEvent(entry)};`,
        `const tracked = await server.events.find(${literal({ contact: entry.phone, event })});`,
        `expect(tracked.at(-1)?.properties).toEqual(${literal(properties)});`,
      ];
    }
    case 'attempt':
      return attemptSteps(entry, surroundings);
    case 'journey': {
      const { journeyId, status, position } = entry.run;
      return [
        ...journeySteps(entry, surroundings),
        "const entries = await server.journal.find('journey');",
        'expect(entries.map(({ run }) => run)).toContainEqual(',
        `  expect.objectContaining(${literal({ journeyId, status, position })}),`,
        ');',
      ];
    }
    case 'fault':
      return faultSteps(entry, surroundings);
  }
}

function requestSteps(entry: EntryOf<'request'>, surroundings: Surroundings): readonly string[] {
  const { operation, status, faults = [] } = entry;
  const parts = partsOf(entry);
  if (status !== undefined && status >= 400 && faults.length === 0 && !isOfSdk(parts)) {
    return [`const response = await ${rawCall(parts)};`, `expect(response.status).toBe(${status});`];
  }
  const { before, call } = madeReady(parts, entry, surroundings);
  // A frozen clock would delay the response forever.
  const striking = faults.filter(({ kind }) => kind !== 'latency');
  const ready = [
    ...before,
    ...striking.map((fault) => `server.faults.add(${literal({ operation, fault, times: 1 })});`),
  ];
  if (striking.some(({ kind }) => kind === 'stall')) {
    return [...ready, ...stalledSteps(call, { operation, fault: { kind: 'stall' } })];
  }
  if (status === undefined) return [...ready, ...failsWith(call, { name: 'ConnectionError' })];
  if (status >= 400) {
    return operation === 'contacts.find' && status === 404
      ? [...ready, `expect(await ${call}).toBeNull();`]
      : [...ready, ...failsWith(call, { status })];
  }
  const kinds = striking.map(({ kind }) => ({ kind }));
  return [
    ...ready,
    // A changed body causes an error of the client or not, depending on the change.
    striking.length === 0 ? `await ${call};` : `await ${call}.catch(() => undefined);`,
    ...(operation === 'contacts.upsert'
      ? [
          "const request = (await server.journal.find('request')).at(-1);",
          'expect([200, 201]).toContain(request?.status); // 200 where the seed has the contact',
        ]
      : latestIs('request', { operation, status, ...(kinds.length > 0 && { faults: kinds }) })),
  ];
}

function failsWith(call: string, error: object): readonly string[] {
  return [
    `const error = await ${call}.catch((reason: unknown) => reason);`,
    `expect(error).toMatchObject(${literal(error)});`,
  ];
}

/** Returns the call and the steps that prepare it, because a seed has no record ids, no deleted contacts and no consent. */
function madeReady(
  parts: RequestParts,
  { status = 200 }: EntryOf<'request'>,
  surroundings: Surroundings,
): { readonly before: readonly string[]; readonly call: string } {
  const { operation, inPath, query, body = '' } = parts;
  const call = `server.client.${callOf(parts)}`;
  const given = parsed(body);
  const id = inPath.id ?? textIn(given, 'contactId');
  const phone = query.phone ?? textIn(given, 'phone');
  const contact = contactNamed(surroundings, id ?? phone);
  const succeeds = status < 400;
  const before =
    contact?.consent === 'opted_out' && !succeeds
      ? [callOfMessage({ phone: contact.phone, body: 'STOP' })]
      : [];
  if (id === undefined) {
    const created = succeeds && phone !== undefined && operation !== 'contacts.upsert';
    return { before: created ? [...before, ...creating(phone, surroundings)] : before, call };
  }
  if (contact === undefined && !succeeds) return { before, call };
  const [name, made] = operation.startsWith('webhooks.')
    ? ['webhook', "webhooks.create({ url: 'https://example.com/hooks', events: ['message.received'] })"]
    : ['contact', `contacts.upsert(${literal({ phone: contact?.phone ?? examplePhone })})`];
  return {
    before: [...before, `const ${name} = await server.client.${made};`],
    call: call.replaceAll(literal(id), `${name}.id`),
  };
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

/** Returns the steps of a call that does not end before the server closes. */
function stalledSteps(call: string, fault: object): readonly string[] {
  return [
    `const answer = ${call}.catch(() => undefined);`,
    ...faultStruck(fault),
    'await server.close();',
    'await answer;',
  ];
}

function faultStruck(fault: object): readonly string[] {
  return [
    "const struck = await server.journal.waitFor('fault');",
    `expect(struck).toMatchObject(${literal(fault)});`,
  ];
}

function attemptSteps(
  entry: EntryOf<'attempt'> & NumberedEntry,
  surroundings: Surroundings,
): readonly string[] {
  const { delivery, attempt } = entry;
  const event = literal(delivery.event);
  const answers = delivery.attempts.slice(0, attempt.number).map(({ status }, index) => {
    const fault =
      status === undefined ? { kind: 'reset', when: 'before_receipt' } : { kind: 'status', status };
    return `server.faults.add({ delivery: ${event}, subscriptionId, nth: ${index + 1}, fault: ${literal(fault)} });`;
  });
  const { status } = attempt;
  return [
    subscriptionStep(delivery),
    '// These faults repeat the responses of the receiver. Without them, the receiver itself answers.',
    ...answers,
    deliveryStep(entry, surroundings),
    // With a frozen clock, only the first attempt happens without advancing the time.
    attempt.number === 1 ? 'await server.settled();' : 'await server.clock.runToIdle();',
    `const [delivery] = await server.deliveries.find({ event: ${event}, subscriptionId });`,
    `expect(delivery?.attempts[${attempt.number - 1}]).toMatchObject(${
      status === undefined ? '{ error: expect.any(String) }' : literal({ status })
    });`,
  ];
}

/** Returns the step that finds the subscription, or creates it for a listener, because a seed has no listeners. */
function subscriptionStep({ url, event }: EntryOf<'attempt'>['delivery']): string {
  const isListener = isListenerUrl(url);
  return isListener
    ? `const { id: subscriptionId } = await server.managedWebhooks.create(${literal({
        url: receiverUrl(url),
        events: [event],
      })});`
    : `const subscriptionId = (await server.subscriptions.list()).find(({ url }) => url === ${literal(url)})?.id;`;
}

function faultSteps(entry: EntryOf<'fault'> & NumberedEntry, surroundings: Surroundings): readonly string[] {
  const cause = causeOf(entry, surroundings);
  const { fault } = entry;
  if ('event' in entry) {
    return [
      `server.faults.add(${literal({ delivery: entry.event, fault, times: 1 })});`,
      cause?.type === 'attempt'
        ? deliveryStep(cause, surroundings)
        : '// The journal does not have the attempt. Do here what makes the service deliver.',
      'await server.clock.runToIdle();',
      "expect(await server.journal.find('fault')).toHaveLength(1);",
    ];
  }
  const { operation } = entry;
  const rule = `server.faults.add(${literal({ operation, fault, times: 1 })});`;
  const struck = { operation, fault: { kind: fault.kind } };
  if (cause?.type !== 'request') {
    const missing = '// The journal does not have the request. Do here what sends it.';
    return [rule, missing, ...faultStruck(struck)];
  }
  const { before, call } = madeReady(partsOf(cause), cause, surroundings);
  return [...before, rule, ...stalledSteps(call, struck)];
}

function latestIs(type: NumberedEntry['type'], expected: object): readonly string[] {
  return [
    `const ${type} = (await server.journal.find(${literal(type)})).at(-1);`,
    `expect(${type}).toMatchObject(${literal(expected)});`,
  ];
}
