import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { maxEventDepth } from '../../src/contract/event.js';
import { operations } from '../../src/contract/operations.js';
import { maskPhone, phoneSchema } from '../../src/contract/phone.js';
import { type Problem, type Schema, validate } from '../../src/contract/schema.js';

const upsert = operations.contacts.upsert.request.body;
const update = operations.contacts.update.request.body;
const send = operations.transactional.send.request.body;
const track = operations.events.track.request.body;
const phone = '+15551234567';

describe('validate', () => {
  test('gives the value when it fits', () => {
    const input = { phone, properties: { firstName: 'Ada', tags: ['a', 'b'], visits: 1, vip: true } };
    expect(validate(upsert, input)).toEqual({ valid: true, value: input });
  });

  test.each<[string, Schema<object>, unknown, string, string, Problem['kind']?]>([
    ['a missing field', upsert, {}, 'phone', 'is required and must be a string'],
    ['a field of the wrong type', send, { phone, templateId: 7 }, 'templateId', 'must be a string'],
    [
      'an unknown field',
      send,
      { phone, templateId: 'order_update', varaibles: {} },
      'varaibles',
      'is not a known field (do you mean variables?)',
      'unknown_field',
    ],
    [
      'an unknown field that is like none',
      send,
      { phone, templateId: 'order_update', flavour: {} },
      'flavour',
      'is not a known field; remove it or check its spelling',
      'unknown_field',
    ],
    [
      'a phone that is not E.164',
      upsert,
      { phone: '555 1234' },
      'phone',
      'must be a phone number in E.164 format, such as +15551234567',
    ],
    [
      'neither contactId nor phone',
      track,
      { event: 'order_placed' },
      'contactId',
      'is required if there is no phone: name the contact by contactId or by phone',
    ],
    ['an empty string', track, { event: '', phone }, 'event', 'must not be an empty string'],
    ['a body that is no object', upsert, [phone], '', 'must be an object'],
  ])('names the field and the fix: %s', (_, schema, value, field, message, kind = 'invalid') => {
    expect(validate(schema, value)).toEqual({ valid: false, problems: [{ field, message, kind }] });
  });

  test('finds every problem at once', () => {
    const result = validate(send, {
      phone: '1',
      variables: { '1': 1 },
      extra: true,
    });
    expect(result.valid || result.problems.map(({ field }) => field).sort()).toEqual([
      'extra',
      'phone',
      'templateId',
      'variables.1',
    ]);
  });

  test('names for each unknown field the one that is meant, for as many as a person reads', () => {
    const wrong = { phon: '', flavour: 1, templateID: '', variable: {} };
    const result = validate(send, { phone, templateId: 'order_update', ...wrong });
    expect(result.valid || result.problems.map(({ field, message }) => [field, message])).toEqual([
      ['phon', 'is not a known field (do you mean phone?)'],
      ['flavour', 'is not a known field; remove it or check its spelling'],
      ['templateID', 'is not a known field (do you mean templateId?)'],
      ['variable', 'is not a known field (do you mean variables?)'],
    ]);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`phone${index}`, 1]));
    const crowded = validate(send, { phone, templateId: 'order_update', ...many });
    const hints = crowded.valid ? [] : crowded.problems.filter(({ message }) => message.includes('phone?'));
    expect(hints).toHaveLength(20);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, null, 1n, Symbol('s'), () => 1, new Date(0)])(
    'refuses a property value of %s without throwing',
    (value) => {
      const result = validate(update, { properties: { value } });
      expect(result).toMatchObject({ valid: false, problems: [{ field: 'properties.value' }] });
    },
  );

  test('never puts the value into a message', () => {
    const secret = 'whsec_canary +15559876543';
    const result = validate(upsert, { phone: secret, properties: { a: [secret, 1] } });
    expect(result.valid).toBe(false);
    expect(JSON.stringify(result)).not.toContain('canary');
  });
});

describe('the properties of an event', () => {
  const trackWith = (properties: unknown) => validate<unknown>(track, { event: 'e', phone, properties });
  class Order {
    readonly id = 'A-1001';
    total = undefined;
    describe() {
      return this.id;
    }
  }
  const nested = (levels: number): object => (levels === 1 ? {} : { inner: nested(levels - 1) });
  const circular: Record<string, unknown> = {};
  circular.self = circular;

  test.each<[string, unknown]>([
    ['any JSON', { a: [1, 'b', true, null, { c: [] }], d: -0 }],
    ['an undefined field, at any depth', { a: undefined, b: { c: undefined, d: [{ e: undefined }] } }],
    ['a date, which JSON writes as ISO 8601', { at: new Date(0), list: [new Date(1)] }],
    ['a URL, and whatever else has a toJSON', { url: new URL('https://a.b'), of: { toJSON: () => 'x' } }],
    ['an object of a class', { order: new Order() }],
    ['an object of another realm', runInNewContext('({ a: [{ b: 1 }] })')],
    ['as deep as it may be', nested(maxEventDepth)],
  ])('may hold %s', (_, properties) => {
    expect(trackWith(properties)).toMatchObject({ valid: true });
  });

  test.each<[string, unknown, string]>([
    ['NaN', { a: Number.NaN }, 'a'],
    ['Infinity, deep down', { a: [{ b: [0, Number.NEGATIVE_INFINITY] }] }, 'a[0].b[1]'],
    ['a BigInt', { a: { b: 1n } }, 'a.b'],
    ['a function', { a: () => 1 }, 'a'],
    ['a symbol', { a: [Symbol('s')] }, 'a[0]'],
    ['undefined in a list', { a: [1, undefined] }, 'a[1]'],
    // biome-ignore lint/suspicious/noSparseArray: it is the point.
    ['a hole in a list', { a: [1, , 2] }, 'a[1]'],
    ['an invalid date', { a: new Date(Number.NaN) }, 'a'],
    ['a Map', { a: new Map([['b', 1]]) }, 'a'],
    ['a Set of another realm', { a: runInNewContext('new Set([1])') }, 'a'],
    [
      'a toJSON that throws',
      {
        a: {
          toJSON() {
            throw new Error('whsec_canary');
          },
        },
      },
      '',
    ],
    ['itself', circular, 'self'.concat('.self'.repeat(maxEventDepth - 1))],
    [
      'more levels than may be',
      nested(maxEventDepth + 1),
      'inner'.concat('.inner'.repeat(maxEventDepth - 1)),
    ],
    ['a Map in place of an object', new Map(), ''],
  ])('may not hold %s', (_, properties, where) => {
    const validation = trackWith(properties);

    if (validation.valid) throw new Error('It was taken.');
    expect(validation.problems.map(({ field }) => field)).toEqual([
      where === '' ? expect.stringMatching(/^properties(\.a)?$/) : `properties.${where}`,
    ]);
    expect(validation.problems[0]?.message).toMatch(/^(must|cannot) [^']+$/);
    expect(JSON.stringify(validation)).not.toContain('canary');
  });
});

test('the variables of a send are named by the number of their placeholder', () => {
  const sendWith = (variables: unknown) => validate<unknown>(send, { phone, templateId: 't', variables });
  const message = 'must have the number of a placeholder as its name, such as "1"';

  expect(sendWith({ 1: 'Ada', 12: 'x', 2: undefined }).valid).toBe(true);
  for (const name of ['name', '0', '01', '-1', '1.5', '1 ', ''])
    expect(sendWith({ [name]: 'Ada' })).toEqual({
      valid: false,
      problems: [{ field: `variables.${name}`, message, kind: 'invalid' }],
    });
});

describe('keys like __proto__', () => {
  // JSON.parse makes these own keys; written as literals they would set the prototype.
  const hostile = '{"__proto__": {"polluted": true}, "constructor": "a", "toString": "b"}';

  test.each<[string, Schema<object>, string]>([
    ['contacts.upsert', upsert, `{"phone": "${phone}", "properties": ${hostile}}`],
    ['contacts.update', update, `{"properties": ${hostile}}`],
    ['transactional.send', send, `{"phone": "${phone}", "templateId": "t", "variables": ${hostile}}`],
    ['events.track', track, `{"event": "e", "phone": "${phone}", "properties": ${hostile}}`],
    ['the body itself', upsert, `{"phone": "${phone}", "__proto__": {"polluted": true}}`],
  ])('pollute nothing in %s', (_, schema, text) => {
    const result = validate(schema, JSON.parse(text));
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    if (result.valid) {
      expect(Object.getPrototypeOf(result.value)).toBe(Object.prototype);
      expect(Reflect.get(result.value, 'polluted')).toBeUndefined();
      expect(Reflect.get(Reflect.get(result.value, 'properties') ?? {}, 'polluted')).toBeUndefined();
    }
  });
});

describe('a phone number', () => {
  test.each(['+15551234567', '+442071838750', '+12', '+999999999999999'])('%s is E.164', (value) => {
    expect(validate(phoneSchema, value).valid).toBe(true);
  });

  test.each([
    ['without the plus', '15551234567'],
    ['with a leading zero', '+05551234567'],
    ['of one digit', '+1'],
    ['of sixteen digits', '+1234567890123456'],
    ['with spaces', '+1 555 123 4567'],
    ['with a line end', '+15551234567\n'],
    ['in Arabic digits', '+١٥٥٥١٢٣٤٥٦٧'],
  ])('%s is not E.164', (_, value) => {
    expect(validate(phoneSchema, value).valid).toBe(false);
  });

  test.each([
    ['+15551234567', '+***67'],
    ['15551234567', '***67'],
    ['+12', '+***'],
    ['', '***'],
  ])('%s is masked as %s', (value, masked) => {
    expect(maskPhone(value)).toBe(masked);
  });
});
