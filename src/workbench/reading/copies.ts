import type { Entry, EntryOf } from '../surface/entry.js';
import { operations } from '../surface/operations.js';
import { parsed } from '../surface/refused-error.js';
import { eventIn } from './about.js';
import { literal, shellWord } from './code.js';

/** What a person can take away from an entry, as text. None of it has the key. */
export interface Copies {
  /** A command that does it again. */
  readonly curl: string;
  /** Code that does it again: a call of the SDK, or of the reference server. */
  readonly code: string;
  /** A test that asserts that it happened. */
  readonly test: string;
}

/**
 * Writes an entry as a command, as code and as a test.
 *
 * @param origin - The URL of the server, such as `http://127.0.0.1:4010`.
 */
export function copiesOf(entry: Entry, origin: string): Copies {
  switch (entry.type) {
    case 'request': {
      const call = callOf(entry);
      return {
        curl: curl(origin + entry.path, { method: entry.method, body: entry.body }),
        code: ofSdk(call),
        test: testOf(...requestSteps(entry, call)),
      };
    }
    case 'message': {
      const message = { phone: entry.phone, body: entry.body };
      const code = `await server.simulate.inboundMessage(${literal(message)});`;
      return {
        curl: curl(`${origin}/control/inbound-messages`, { body: JSON.stringify(message) }),
        code,
        test: testOf(
          code,
          `expect((await server.journal.find('message')).at(-1)).toMatchObject(${literal(message)});`,
        ),
      };
    }
    case 'send': {
      const { phone, templateId, text, variables } = entry.send;
      const input = { phone, templateId, variables };
      return {
        curl: curl(`${origin}/api/v1/transactional`, { body: JSON.stringify(input) }),
        code: ofSdk(`transactional.send(${literal(input)})`),
        test: testOf(
          '// Do here what makes your application send.',
          `const send = await server.sends.waitFor(${literal({ contact: phone, templateId })});`,
          `expect(send.text).toBe(${literal(text)});`,
        ),
      };
    }
    case 'event': {
      const { phone } = entry;
      const { event, properties } = entry.event;
      const input = { phone, event, properties };
      return {
        curl: curl(`${origin}/api/v1/events`, { body: JSON.stringify(input) }),
        code: ofSdk(`events.track(${literal(input)})`),
        test: testOf(
          '// Do here what makes your application track the event.',
          `const tracked = await server.events.waitFor(${literal({ contact: phone, event })});`,
          `expect(tracked.properties).toEqual(${literal(properties)});`,
        ),
      };
    }
    case 'attempt':
      return ofAttempt(entry);
    case 'journey': {
      const { journeyId, status } = entry.run;
      const code = 'await server.clock.runToIdle();';
      return {
        curl: curl(`${origin}/control/journey-runs`),
        code,
        test: testOf(
          '// Do here what starts the journey.',
          code,
          `expect((await server.journal.journeyRuns()).at(-1)).toMatchObject(${literal({ journeyId, status })});`,
        ),
      };
    }
    case 'fault': {
      const struck = 'event' in entry ? { delivery: entry.event } : { operation: entry.operation };
      const rule = { ...struck, fault: entry.fault, times: 1 };
      const code = `server.faults.add(${literal(rule)});`;
      return {
        curl: curl(`${origin}/control/faults`, { body: JSON.stringify(rule) }),
        code,
        test: testOf(
          code,
          '// Do here what the fault strikes.',
          `expect(await server.journal.find('fault')).toHaveLength(1);`,
        ),
      };
    }
  }
}

function ofAttempt({ delivery, attempt }: EntryOf<'attempt'>): Copies {
  const { phone, body } = eventIn(delivery).data;
  const known = typeof phone === 'string' && typeof body === 'string';
  const code = `await server.deliveries.redeliver(${literal(delivery.id)});`;
  const filter = { event: delivery.event, ...(known && { contact: phone }), status: delivery.status };
  return {
    curl: [
      `curl ${shellWord(delivery.url.replace(/^listen:/, ''))} ${json}`,
      `-H 'X-Service-Signature: ${attempt.signature}'`,
      `--data-binary ${shellWord(delivery.body)}`,
    ].join(newLine),
    code,
    test: testOf(
      known
        ? `await server.simulate.inboundMessage(${literal({ phone, body })});`
        : '// Do here what makes the service deliver.',
      `const delivery = await server.deliveries.waitFor(${literal(filter)});`,
      `expect(delivery.attempts[${attempt.number - 1}]).toMatchObject(${literal(
        attempt.status === undefined ? { number: attempt.number } : { status: attempt.status },
      )});`,
    ),
  };
}

function requestSteps({ method, path, body, status }: EntryOf<'request'>, call: string): readonly string[] {
  if (status === 400) {
    // The SDK refuses such a request before it sends it.
    return [
      `const request = new Request(${literal(`http://localhost${path}`)}, {
  method: '${method}',
  headers: { Authorization: \`Bearer \${server.apiKey}\`, 'Content-Type': 'application/json' },${
    body === undefined ? '' : `\n  body: ${literal(body)},`
  }
});`,
      'expect((await server.fetch(request)).status).toBe(400);',
    ];
  }
  return status !== undefined && status < 400
    ? [
        `await server.client.${call};`,
        `expect((await server.journal.find('request')).at(-1)?.status).toBe(${status});`,
      ]
    : [
        `const error = await server.client.${call}.catch((reason: unknown) => reason);`,
        `expect(error).toMatchObject(${literal(status === undefined ? { name: 'ConnectionError' } : { status })});`,
      ];
}

/** The call of the SDK that sends such a request, such as `contacts.get('contact_1')`. */
function callOf({ operation, path, body }: EntryOf<'request'>): string {
  const [resource = '', verb = ''] = operation.split('.');
  const { path: template = '' } = Object(Object(Object(operations)[resource])[verb]);
  const [plain = '', search = ''] = path.replace(/^\/api/, '').split('?');
  const segments = plain.split('/');
  const inPath = String(template)
    .split('/')
    .flatMap((part, index) => (part.startsWith(':') ? [decodeURIComponent(segments[index] ?? '')] : []));
  const given: readonly unknown[] = [
    ...inPath,
    ...new URLSearchParams(search).values(),
    ...(body === undefined ? [] : [parsed(body)]),
  ];
  return `${operation}(${given.map((value) => literal(value)).join(', ')})`;
}

function ofSdk(call: string): string {
  return `import { MessagingAutomation } from 'messaging-automation';

const messaging = new MessagingAutomation(); // reads MESSAGING_AUTOMATION_API_KEY and MESSAGING_AUTOMATION_BASE_URL
await messaging.${call};
`;
}

function testOf(...steps: readonly string[]): string {
  return `import { createReferenceServer } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import seed from './seed.json'; // "Save as seed" in the workspace view

test('what happened in the workbench', async () => {
  await using server = createReferenceServer({ ...seed, clock: 'frozen' });
${steps.map((step) => `  ${step.replaceAll('\n', '\n  ')}\n`).join('')}});
`;
}

const newLine = ' \\\n  ';
const json = "-H 'Content-Type: application/json'";

function curl(
  url: string,
  { method = 'POST', body }: { method?: string; body?: string | undefined } = {},
): string {
  const verb =
    body === undefined ? (method === 'DELETE' ? '-X DELETE ' : '') : method === 'POST' ? '' : `-X ${method} `;
  return [
    `curl ${verb}${shellWord(url)}`,
    '-H "Authorization: Bearer $MESSAGING_AUTOMATION_API_KEY"',
    ...(body === undefined ? [] : [json, `-d ${shellWord(body)}`]),
  ].join(newLine);
}
