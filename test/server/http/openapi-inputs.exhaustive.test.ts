import type { ReferenceServer } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { type DescribedOperation, documentOf, operationsIn } from '../support/openapi.js';
import { askWith, field, otherPhone, phone, startServer } from '../support/reference.js';

/** Values that fit no field, or only some. */
const anything = [null, 0, -1.5, '', 'x', [], {}, [1], { a: null }, { a: {} }];

/** So many objects in each other. */
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

const phones = [
  phone,
  otherPhone,
  '+12',
  '+123456789012345',
  '+0123456',
  '15551234567',
  '+1 555 123 4567',
  `${phone}\n`,
  '+\uff11\uff12\uff13\uff14\uff15',
];

const urls = [
  'https://example.com',
  'https://example.com/hooks?a=b&c=%20#d',
  'HTTPS://EXAMPLE.com/',
  'https://my_host.example.com./',
  'https://xn--exmple-cua.com/',
  'https://[2606:4700::1111]/hooks',
  'http://127.0.0.1:3000/hooks',
  'http://example.com/hooks',
  'https://192.168.0.1/hooks',
  'https://exämple.com/',
  'https://example.com/a b',
  'https://example.com/hooks\n',
  'https://example.com/{id}',
  'https://example.com/a\\b',
  'https://example.com/%zz',
  'https:example.com/hooks',
  'https://user:password@example.com/',
  'https://example.com:99999/',
  'https://256.1.1.1/',
  'mailto:me@example.com',
  `https://example.com/${'x'.repeat(2_028)}`,
  `https://example.com/${'x'.repeat(2_029)}`,
];

const contactProperties = [
  {},
  { city: 'London', visits: 3, subscribed: false, interests: ['running', 'chess'], none: [] },
  { phone },
  { phone: otherPhone },
  { phone: 'x' },
  { phone: 5 },
  { city: null },
  { city: { name: 'London' } },
  { cities: [['London']] },
  JSON.parse('{ "__proto__": "x" }'),
  { '': 'x', constructor: 'x', 'a b': 1e300 },
];

/** A body that is accepted, and other values for each of its fields. */
interface Samples {
  readonly body: object;
  readonly fields: Readonly<Record<string, readonly unknown[]>>;
}

const contactId = 'contact_1';

const samples: Readonly<Record<string, Samples>> = {
  'contacts.upsert': {
    body: { phone, properties: { city: 'London' } },
    fields: { phone: phones, properties: contactProperties },
  },
  'contacts.update': {
    body: { properties: { city: 'London' } },
    fields: { properties: contactProperties },
  },
  'transactional.send': {
    body: { phone, templateId: 'greeting', variables: { '1': 'Ada' } },
    fields: {
      phone: phones,
      templateId: ['greeting', 'unknown'],
      variables: [
        { '1': 'Ada' },
        { '1': '' },
        { '1': 5 },
        { '1': null },
        { '1': 'Ada', '2': 'x' },
        { '01': 'x', '1': 'Ada' },
        { name: 'x', '1': 'Ada' },
        { '0': 'x', '1': 'Ada' },
        JSON.parse('{ "1": "Ada", "__proto__": "x" }'),
      ],
    },
  },
  'events.track': {
    body: { event: 'order_placed', phone, properties: { total: 42 } },
    fields: {
      event: ['order_placed', 'Any name!'],
      contactId: [contactId, 'unknown'],
      phone: phones,
      properties: [
        {},
        { a: null, b: [1, [null, { c: true }]], '': '' },
        nested(32),
        nested(33),
        JSON.parse('{ "a": { "__proto__": 1 } }'),
      ],
    },
  },
  'webhooks.create': {
    body: { url: 'https://example.com/hooks', events: ['message.received'] },
    fields: {
      url: urls,
      events: [
        ['message.received', 'contact.opted_in', 'contact.opted_out'],
        ['message.received', 'message.received'],
        ['message.sent'],
        ['message.received', null],
        'message.received',
      ],
    },
  },
};

/** What no schema says: the words of the document that say it, and the bodies that they are about. */
const exceptions: readonly { readonly words: string; readonly concern: (body: unknown) => boolean }[] = [
  {
    words: 'refuses query parameters that are not named here, and a field named `__proto__` at any depth',
    concern: (body) => JSON.stringify(body).includes('"__proto__"'),
  },
  {
    words: "`properties.phone` may only repeat the contact's phone.",
    concern: (body) => {
      const repeated = field(field(body, 'properties'), 'phone');
      return /^\+[1-9][0-9]+$/.test(String(repeated)) && repeated !== (field(body, 'phone') ?? phone);
    },
  },
  { words: 'At most 32 levels deep', concern: (body) => JSON.stringify(body).includes('{"a":'.repeat(32)) },
  {
    words: 'those that its option `receiverAddresses` allows, where the host and the port can exist.',
    concern: (body) => impossibleUrls.includes(String(field(body, 'url'))),
  },
];

const impossibleUrls = [
  'http://example.com/hooks',
  'https://192.168.0.1/hooks',
  'https://example.com:99999/',
  'https://256.1.1.1/',
];

/** Every body in which one field of a sample is missing or has another value, or that is no such body at all. */
function variations({ body, fields }: Samples): readonly unknown[] {
  return [
    body,
    ...anything,
    { ...body, unknown: 'x' },
    ...Object.entries(fields).flatMap(([name, values]) => {
      const { [name]: _, ...others }: Record<string, unknown> = { ...body };
      return [others, ...[...values, ...anything].map((value) => ({ ...others, [name]: value }))];
    }),
  ];
}

async function operationOf(server: ReferenceServer, name: string): Promise<DescribedOperation> {
  const operation = operationsIn(await documentOf(server, '/openapi.json')).find(({ id }) => id === name);
  if (operation === undefined) throw new Error(`The document has no operation ${name}.`);
  return operation;
}

describe('the schema of a request body', () => {
  test.each(Object.entries(samples))('accepts what the server does: %s', async (name, sample) => {
    const ids = new Map<string, number>();
    const server = startServer({
      contacts: [{ phone }],
      templates: [{ id: 'greeting', body: 'Hello {{1}}' }],
      quota: 1_000_000,
      newId: (kind) => {
        ids.set(kind, (ids.get(kind) ?? 0) + 1);
        return `${kind}_${ids.get(kind)}`;
      },
    });
    const ask = askWith(server);
    const operation = await operationOf(server, name);
    const seen = { accepted: 0, refused: 0 };

    const compare = async (body: unknown): Promise<void> => {
      const response = await ask(
        operation.method,
        operation.path.replace('{id}', contactId),
        JSON.stringify(body),
      );
      expect(operation.differences(response)).toEqual([]);
      if (!operation.acceptsBody(body)) {
        seen.refused += 1;
        expect(response.status, 'the server accepts what the schema does not').toBeGreaterThanOrEqual(400);
      } else if (!exceptions.some(({ concern }) => concern(body))) {
        seen.accepted += 1;
        expect(response.status, 'the server refuses what the schema accepts').not.toBe(400);
      }
    };
    for (const body of variations(sample)) await compare(body);

    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(5);
  });
});

test.each(phones)('the schema of a phone to find accepts what the server does: %j', async (value) => {
  const server = startServer({ contacts: [{ phone }] });
  const operation = await operationOf(server, 'contacts.find');
  const response = await askWith(server)('GET', `/v1/contacts/find?phone=${encodeURIComponent(value)}`);
  expect(operation.differences(response)).toEqual([]);
  expect(response.status !== 400).toBe(operation.acceptsParameter('phone', value));
});

test.each(exceptions)('the document says what no schema does: $words', async ({ words }) => {
  const document = await documentOf(startServer(), '/openapi.json');
  expect(descriptionsIn(document).filter((text) => text.includes(words))).not.toEqual([]);
});

function descriptionsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'description' ? [String(inner)] : descriptionsIn(inner),
  );
}
