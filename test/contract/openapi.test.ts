import { describe, expect, test } from 'vitest';
import {
  deliveryRetries,
  deliveryTimeout,
  signatureHeader,
  webhookEventTypes,
} from '../../src/contract/delivery.js';
import { openApiDocument } from '../../src/contract/openapi.js';
import { describeSchema } from '../../src/contract/openapi-components.js';
import { operationList } from '../../src/contract/operations.js';
import { custom } from '../../src/contract/schema.js';

const document = openApiDocument();
const described = Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe('the OpenAPI document', () => {
  test('says which OpenAPI it is, and asks for a bearer key everywhere', () => {
    expect(document.openapi).toBe('3.1.1');
    expect(document.security).toEqual([{ apiKey: [] }]);
    expect(document.components.securitySchemes).toEqual({ apiKey: { type: 'http', scheme: 'bearer' } });
  });

  test('holds each operation of the table, and no other', () => {
    expect(described.map(({ operationId }) => operationId)).toEqual(operationList.map(({ name }) => name));
  });

  test('describes the three deliveries as webhooks, signed and not keyed', () => {
    expect(Object.keys(document.webhooks)).toEqual([...webhookEventTypes]);
    for (const { post } of Object.values(document.webhooks)) {
      expect(post.security).toEqual([]);
      expect(post.parameters).toMatchObject([{ name: signatureHeader, in: 'header', required: true }]);
      expect(post.responses['2XX']?.description).toContain(`${deliveryTimeout / 1000} seconds`);
      expect(post.responses.default?.description).toContain(`${deliveryRetries} times`);
    }
  });

  test('points only at schemas that it holds, and uses each of them', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    const used = new Set(references.map(([, name]) => name));
    expect([...used].sort()).toEqual(Object.keys(document.components.schemas).sort());
    expect(JSON.stringify(document).match(/"\$ref"/g)).toHaveLength(references.length);
  });

  // Code generators make `unknown` of a schema that only adds a demand to the one around it.
  test('says of each alternative what it is as a whole', () => {
    const alternatives = alternativesIn(document);
    expect(alternatives.length).toBeGreaterThan(2);
    for (const alternative of alternatives) {
      expect(
        Object.keys(Object(alternative)).filter((name) => name === '$ref' || name === 'type'),
        JSON.stringify(alternative),
      ).toHaveLength(1);
    }
  });

  test('requires the phone in the response of an upsert, and in no other response', () => {
    const pattern = expect.any(String);
    const { Contact, UpsertedContact } = document.components.schemas;
    expect(UpsertedContact?.properties?.properties).toMatchObject({
      required: ['phone'],
      properties: { phone: { $ref: '#/components/schemas/PhoneNumber' } },
    });
    expect(Contact?.properties?.properties).toMatchObject({ properties: { phone: { pattern } } });
    expect(Contact?.properties?.properties).not.toHaveProperty('required');
    const paths = JSON.stringify(document.paths['/v1/contacts']);
    expect(paths.match(/"#\/components\/schemas\/UpsertedContact"/g)).toHaveLength(2);
    expect(paths).not.toContain('"#/components/schemas/Contact"');
  });
});

test('a check of our own without its JSON Schema is an error, not a schema that allows any value', () => {
  const even = custom((value) => Number(value) % 2 === 0, 'must be even');

  expect(() => describeSchema(even, {})).toThrow('says "must be even" has no JSON Schema');
});

/** What stands in any `oneOf`, `anyOf` or `allOf`, however deep. */
function alternativesIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(['oneOf', 'anyOf', 'allOf'].includes(name) ? Object.values<unknown>(inner) : []),
    ...alternativesIn(inner),
  ]);
}
