import type { Entry, EntryOf } from '../surface/entry.js';
import { operations } from '../surface/operations.js';
import { parsed } from '../surface/refused-error.js';
import { contactOf, eventIn } from './about.js';
import { literal, shellWord } from './code.js';

/** A text to take away from an entry. */
export interface Copy {
  readonly name: 'curl' | 'code' | 'test';
  readonly text: string;
}

/**
 * What a person can take away from an entry: a command, code of the SDK, and a test that asserts that it happened. None has
 * the key in it.
 *
 * @param origin - The URL of the server, such as `http://127.0.0.1:4010`.
 */
export function copiesOf(entry: Entry, origin: string): readonly Copy[] {
  switch (entry.type) {
    case 'request': {
      const call = callOf(entry);
      return [
        { name: 'curl', text: curlOf(entry, origin) },
        ...(call === undefined ? [] : [{ name: 'code', text: sdkCode(call) } as const]),
        ...(call === undefined ? [] : [{ name: 'test', text: testOf(requestSteps(entry, call)) } as const]),
      ];
    }
    case 'message': {
      const { phone, body } = entry;
      const message = { phone, body };
      return [
        { name: 'curl', text: postJson(`${origin}/control/inbound-messages`, message) },
        { name: 'code', text: `await server.simulate.inboundMessage(${literal(message)});` },
        {
          name: 'test',
          text: testOf([
            `await server.simulate.inboundMessage(${literal(message)});`,
            `const [message] = await server.journal.find('message');`,
            `expect(message).toMatchObject(${literal(message)});`,
          ]),
        },
      ];
    }
    case 'send': {
      const { phone: contact, templateId, text, variables } = entry.send;
      return [
        {
          name: 'curl',
          text: postJson(`${origin}/api/v1/transactional`, { phone: contact, templateId, variables }),
        },
        {
          name: 'code',
          text: sdkCode(`transactional.send(${literal({ phone: contact, templateId, variables })})`),
        },
        {
          name: 'test',
          text: testOf([
            '// Do here what makes your application send.',
            `const send = await server.sends.waitFor(${literal({ contact, templateId })});`,
            `expect(send.text).toBe(${literal(text)});`,
          ]),
        },
      ];
    }
    case 'event': {
      const { phone, event: tracked } = entry;
      const { event, properties } = tracked;
      return [
        { name: 'curl', text: postJson(`${origin}/api/v1/events`, { phone, event, properties }) },
        { name: 'code', text: sdkCode(`events.track(${literal({ phone, event, properties })})`) },
        {
          name: 'test',
          text: testOf([
            '// Do here what makes your application track the event.',
            `const tracked = await server.events.waitFor(${literal({ contact: phone, event })});`,
            `expect(tracked.properties).toEqual(${literal(properties)});`,
          ]),
        },
      ];
    }
    case 'attempt':
      return attemptCopies(entry, origin);
    case 'journey': {
      const { journeyId, status } = entry.run;
      return [
        { name: 'curl', text: getJson(`${origin}/control/journey-runs`) },
        {
          name: 'test',
          text: testOf([
            '// Do here what starts the journey.',
            'await server.clock.runToIdle();',
            'const runs = await server.journal.journeyRuns();',
            `expect(runs.at(-1)).toMatchObject(${literal({ journeyId, status })});`,
          ]),
        },
      ];
    }
    case 'fault': {
      const rule =
        'event' in entry
          ? { delivery: entry.event, fault: entry.fault, times: 1 }
          : { operation: entry.operation, fault: entry.fault, times: 1 };
      return [
        { name: 'curl', text: postJson(`${origin}/control/faults`, rule) },
        { name: 'code', text: `server.faults.add(${literal(rule)});` },
      ];
    }
  }
}

function attemptCopies({ delivery, attempt }: EntryOf<'attempt'>, origin: string): readonly Copy[] {
  const { phone } = contactOf({ type: 'attempt', number: 0, at: 0, delivery, attempt });
  const { body } = eventIn(delivery).data;
  const filter = { event: delivery.event, ...(phone !== undefined && { contact: phone }) };
  const status = attempt.error === undefined ? 'delivered' : delivery.status;
  const arrange =
    phone === undefined || typeof body !== 'string'
      ? '// Do here what makes the service deliver.'
      : `await server.simulate.inboundMessage(${literal({ phone, body })});`;
  const url = delivery.url.replace(/^listen:/, '');
  return [
    {
      name: 'curl',
      text: [
        `curl ${shellWord(url)}`,
        `-H 'Content-Type: application/json'`,
        `-H 'X-Service-Signature: ${attempt.signature}'`,
        `--data-binary ${shellWord(delivery.body)}`,
      ].join(' \\\n  '),
    },
    { name: 'code', text: `await server.deliveries.redeliver(${literal(delivery.id)}); // ${origin}` },
    {
      name: 'test',
      text: testOf([
        arrange,
        `const delivery = await server.deliveries.waitFor(${literal({ ...filter, status })});`,
        attempt.status === undefined
          ? 'expect(delivery.attempts.at(-1)?.error).toBeDefined();'
          : `expect(delivery.attempts.at(-1)?.status).toBe(${attempt.status});`,
      ]),
    },
  ];
}

function requestSteps({ status }: EntryOf<'request'>, call: string): readonly string[] {
  if (status !== undefined && status < 400) {
    return [
      `await server.client.${call};`,
      `const [request] = await server.journal.find('request');`,
      `expect(request?.status).toBe(${status});`,
    ];
  }
  return [
    `const error = await server.client.${call}.catch((reason: unknown) => reason);`,
    `expect(error).toMatchObject(${literal({ status })});`,
  ];
}

/** The call of the SDK that sends such a request, such as `contacts.get('contact_1')`. */
function callOf({ operation, path, body }: EntryOf<'request'>): string | undefined {
  const [resource = '', verb = ''] = operation.split('.');
  const entry: unknown = Reflect.get(Object(Reflect.get(operations, resource)), verb);
  const { path: template } = Object(entry);
  if (typeof template !== 'string') return undefined;
  const [plain = '', search = ''] = path.replace(/^\/api/, '').split('?');
  const segments = plain.split('/');
  const inPath = template
    .split('/')
    .flatMap((part, index) => (part.startsWith(':') ? [decodeURIComponent(segments[index] ?? '')] : []));
  const inQuery = [...new URLSearchParams(search).values()];
  const words = [...inPath, ...inQuery].map((word) => literal(word));
  const given = body === undefined ? [] : [literal(parsed(body))];
  return `${operation}(${[...words, ...given].join(', ')})`;
}

function sdkCode(call: string): string {
  return `import { MessagingAutomation } from 'messaging-automation';

const messaging = new MessagingAutomation(); // reads MESSAGING_AUTOMATION_API_KEY and MESSAGING_AUTOMATION_BASE_URL
await messaging.${call};
`;
}

function testOf(steps: readonly string[]): string {
  return `import { createReferenceServer } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import seed from './seed.json' with { type: 'json' }; // "Save as seed" in the workspace view

test('what happened in the workbench', async () => {
  await using server = createReferenceServer({ ...seed, clock: 'frozen' });
${steps.map((step) => `  ${step.replaceAll('\n', '\n  ')}\n`).join('')}});
`;
}

const authorization = '-H "Authorization: Bearer $MESSAGING_AUTOMATION_API_KEY"';

function curlOf({ method, path, body }: EntryOf<'request'>, origin: string): string {
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${shellWord(origin + path)}`,
    authorization,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${shellWord(body)}`]),
  ].join(' \\\n  ');
}

function postJson(url: string, body: object): string {
  return [
    `curl ${shellWord(url)}`,
    authorization,
    `-H 'Content-Type: application/json'`,
    `-d ${shellWord(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}

function getJson(url: string): string {
  return `curl ${shellWord(url)} \\\n  ${authorization}`;
}
