import { describe, expect, test } from 'vitest';
import {
  deliveryRetries,
  deliveryTimeout,
  signatureHeader,
  webhookEventTypes,
} from '../../src/contract/delivery.js';
import { errorStatuses, errorsOfAnyOperation } from '../../src/contract/error.js';
import { openApiDocument } from '../../src/contract/openapi.js';
import { operationList } from '../../src/contract/operations.js';
import { operationCases } from '../operations/cases.js';
import { madeUp } from '../operations/operation-case.js';

const document = openApiDocument();
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

/** The parameters that the operation has in its query. */
function queryOf(operation: string): readonly string[] {
  const sent = operationCases
    .filter(([name]) => name === operation)
    .map(([, { sends }]) => sends(madeUp).path);
  return sent.flatMap((path) => [...new URL(path, 'https://api.example.test').searchParams.keys()]);
}

describe('the OpenAPI document', () => {
  test('says which OpenAPI it is, and asks for a bearer key everywhere', () => {
    expect(document.openapi).toBe('3.1.1');
    expect(document.security).toEqual([{ apiKey: [] }]);
    expect(document.components.securitySchemes).toEqual({ apiKey: { type: 'http', scheme: 'bearer' } });
  });

  test('holds each operation of the table, and no other', () => {
    expect(described.map(({ operationId }) => operationId)).toEqual(operationList.map(({ name }) => name));
  });

  test.each(operationList.map((operation) => [operation.name, operation] as const))(
    'describes %s as the table does',
    (name, operation) => {
      const entry = described.find(({ operationId }) => operationId === name);
      expect(entry?.method).toBe(operation.method.toLowerCase());
      expect(entry?.path.replaceAll(/\{(\w+)\}/g, ':$1')).toBe(operation.path);
      expect(entry?.requestBody !== undefined).toBe(operation.request.body !== undefined);
      expect(entry?.parameters?.map((parameter) => `${parameter.in} ${parameter.name}`) ?? []).toEqual([
        ...[...operation.path.matchAll(/:(\w+)/g)].map(([, parameter]) => `path ${parameter}`),
        ...queryOf(name).map((parameter) => `query ${parameter}`),
      ]);

      const errors = [...operation.errors, ...errorsOfAnyOperation];
      const statuses = [
        ...Object.values(operation.successes),
        ...errors.map(({ code }) => errorStatuses[code]),
      ];
      expect(
        Object.keys(entry?.responses ?? {})
          .map(Number)
          .sort(),
      ).toEqual([...new Set(statuses)].sort());
      for (const { code, condition, shown } of errors) {
        const response = entry?.responses[errorStatuses[code]];
        const line = response?.description.split('\n\n').find((text) => text.startsWith(`\`${code}\``));
        expect(line).toContain(condition);
        expect(line?.includes('ot shown in the document')).toBe(shown !== 'status and code');
        expect(JSON.stringify(response?.content)).toContain(`"${code}"`);
      }
      for (const status of Object.values(operation.successes)) {
        const response = entry?.responses[status];
        expect(response?.description.includes('not shown in the document')).toBe(
          operation.notShown.length > 0,
        );
        expect(response?.content !== undefined).toBe(operation.result.kind !== 'nothing');
      }
    },
  );

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

  test('requires the phone in the answer of an upsert, and in no other answer', () => {
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

/** What stands in any `oneOf`, `anyOf` or `allOf`, however deep. */
function alternativesIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(['oneOf', 'anyOf', 'allOf'].includes(name) ? Object.values<unknown>(inner) : []),
    ...alternativesIn(inner),
  ]);
}
