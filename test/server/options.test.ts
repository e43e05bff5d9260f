import { ConfigurationError, createReferenceServer, parseWorkspaceSeed } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { askWith, otherPhone, phone, startServer } from './support/reference.js';

/** What a program in JavaScript, or a file, may hold. */
const create = (options: object) => Reflect.apply(createReferenceServer, undefined, [options]);

describe('options that are not right', () => {
  test('are all named in one error', () => {
    expect(() => create({ clock: 1, log: 2, quota: 1.5, flavour: 'x' })).toThrow(
      [
        'The options argument of createReferenceServer is invalid:',
        'log must be a function',
        'flavour is not a known field; remove it or check its spelling',
        'quota must be a whole number',
        'clock must be "flowing" or "frozen"',
      ].join('\n  '),
    );
  });

  test.each([
    [{ workbnech: true }, 'workbnech is not a known field (do you mean workbench?)'],
    [{ Quota: 1 }, 'Quota is not a known field (do you mean quota?)'],
    [{ stat: {} }, 'stat is not a known field (do you mean state?)'],
  ])(
    'that are misspelt name the option that is meant, of the server or of its seed: %j',
    (options, words) => {
      expect(() => create(options)).toThrow(words);
    },
  );

  test('that are undefined are as if left out', async () => {
    await using server = create({ clock: undefined, log: undefined, quota: undefined, templates: undefined });
    expect(await server.journal.quota()).toEqual({ quota: 1_000, addOnCredits: 0 });
  });
});

describe('a seed', () => {
  const template = { id: 't', body: 'Hello' };
  const segment = { id: 's', event: 'seen' };

  test.each([
    [null, 'the value must be an object'],
    [{ qouta: 1 }, 'qouta is not a known field (do you mean quota?)'],
    [
      { templates: [{ id: 't', boddy: 'Hello' }] },
      'templates[0].boddy is not a known field (do you mean body?)',
    ],
    [
      { contacts: [{ phone, propertis: {} }] },
      'contacts[0].propertis is not a known field (do you mean properties?)',
    ],
    [{ segments: [{ id: 's', wher: {} }] }, 'segments[0].wher is not a known field (do you mean where?)'],
    [
      { journeys: [{ id: 'j', event: 'seen', steps: [{ wiat: '1h' }] }] },
      'steps[0].wiat is not a known field (do you mean wait?)',
    ],
    [
      { templates: [template], journeys: [{ id: 'j', event: 'seen', steps: [{ send: 'T' }] }] },
      'journeys[0].steps[0].send is not the id of a template (do you mean t?)',
    ],
    [
      { segments: [segment], journeys: [{ id: 'j', event: 'seen', steps: [{ branch: { segment: 'S' } }] }] },
      'steps[0].branch.segment is not the id of a segment (do you mean s?)',
    ],
    [
      { faults: [{ operatoin: 'any', fault: { kind: 'stall' } }] },
      'faults[0].operatoin is not a known field (do you mean operation?)',
    ],
    [
      { faults: [{ operation: 'any', tims: 1, fault: { kind: 'stall' } }] },
      'faults[0].tims is not a known field (do you mean times?)',
    ],
    [
      { managedWebhooks: [{ URL: 'https://example.com', events: [] }] },
      'managedWebhooks[0].URL is not a known field (do you mean url?)',
    ],
    [{ quota: 1e20 }, 'quota must be a whole number'],
    [{ addOnCredits: -1 }, 'addOnCredits must be zero or more'],
    [{ specGaps: [] }, 'specGaps must be an object'],
    [{ specGaps: { listBdy: 'array' } }, 'specGaps.listBdy is not a known field (do you mean listBody?)'],
    [{ specGaps: { listBody: 'xml' } }, 'specGaps.listBody must be "data" or "array" or "named"'],
    [{ specGaps: { unauthorizedStatus: '403' } }, 'specGaps.unauthorizedStatus must be 401 or 403'],
    [{ specGaps: { retryBackoff: '10s' } }, 'specGaps.retryBackoff must be two durations'],
    [{ specGaps: { retryBackoff: ['10s', '1 min'] } }, 'specGaps.retryBackoff[1] must be a duration'],
    [{ specGaps: { rateLimit: 'on' } }, 'specGaps.rateLimit must be "off", or a number of requests per'],
    [{ specGaps: { rateLimit: { requests: 0, per: '1m' } } }, 'specGaps.rateLimit.requests must be a'],
    [{ specGaps: { rateLimit: { requests: 1, per: 0 } } }, 'specGaps.rateLimit.per must be longer'],
    [{ workspaceId: '' }, 'workspaceId must not be an empty string'],
    [{ apiKey: '' }, 'apiKey must be printable ASCII'],
    [{ apiKey: 'schlüssel' }, 'apiKey must be printable ASCII'],
    [{ templates: {} }, 'templates must be an array'],
    [{ templates: [null] }, 'templates[0] must be an object'],
    [{ templates: [template, {}] }, 'templates[1].id is required'],
    [{ templates: [{ ...template, status: 'draft' }] }, 'templates[0].status must be "approved" or'],
    [{ templates: [{ ...template, variables: ['1'] }] }, 'templates[0].variables is not a known field'],
    [{ templates: [template, template] }, 'templates[1].id must not repeat an earlier id'],
    [{ contacts: [{}] }, 'contacts[0].phone is required'],
    [{ contacts: [{ phone, properties: { a: null } }] }, 'contacts[0].properties.a must be a string'],
    [
      { contacts: [{ phone, properties: { phone: otherPhone } }] },
      'contacts[0].properties.phone must be the',
    ],
    [{ segments: [{ ...segment, atLeast: 0 }] }, 'segments[0].atLeast must be one or more'],
    [{ segments: [{ ...segment, atLeast: 1.5 }] }, 'segments[0].atLeast must be a whole number'],
  ])('that is not right is refused by field: %j', (seed, words) => {
    expect(() => parseWorkspaceSeed(seed)).toThrow(ConfigurationError);
    expect(() => parseWorkspaceSeed(seed)).toThrow(words);
  });

  test('that is right is given back', () => {
    const seed = {
      workspaceId: 'w',
      apiKey: 'k',
      quota: 0,
      addOnCredits: 2,
      templates: [{ ...template, name: 'T', language: 'de', status: 'paused' }],
      contacts: [{ phone, properties: { phone, tags: ['a'] } }],
      segments: [{ ...segment, atLeast: 2 }],
    };
    expect(parseWorkspaceSeed(seed)).toEqual(seed);
    expect(parseWorkspaceSeed({})).toEqual({});
  });

  test('may name a contact twice: the second merges into the first', async () => {
    const server = startServer({
      contacts: [
        { phone, properties: { a: 1, b: 1 } },
        { phone, properties: { b: 2, phone } },
      ],
    });
    expect((await askWith(server)('GET', '/v1/contacts/find?phone=%2B15551234567')).body).toMatchObject({
      properties: { phone, a: 1, b: 2 },
    });
  });

  test('is what a workspace begins with, whatever becomes of the object', async () => {
    const contacts = [{ phone }];
    const server = startServer({ contacts, workspaceId: 'mine', apiKey: 'mine' });
    contacts.length = 0;
    expect([server.id, server.apiKey]).toEqual(['mine', 'mine']);
    expect((await askWith(server)('GET', '/v1/contacts/find?phone=%2B15551234567')).status).toBe(200);
    expect(() => Reflect.apply(server.workspace, server, [{ quota: -1 }])).toThrow(
      'quota must be zero or more',
    );
  });
});
