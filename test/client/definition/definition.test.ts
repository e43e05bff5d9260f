import { inspect } from 'node:util';
import {
  ConfigurationError,
  defineWorkspace,
  MessagingAutomation,
  type WorkspaceDefinition,
} from 'messaging-automation';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { apiKey, untyped } from '../support/samples.js';

const baseUrl = 'http://127.0.0.1:9/api';

test.each<[string, string, unknown]>([
  ['no object', 'an object', undefined],
  ['a part it does not have', 'templtes', { properties: {}, templtes: {} }],
  ['a schema that is none', 'properties.firstName', { properties: { firstName: 'string' } }],
  ['a schema of another kind', 'events.order_placed', { events: { order_placed: { parse() {} } } }],
  ['a template without an id', 'templates.welcome', { templates: { welcome: { id: '' } } }],
  ['a variable without a name', 'templates.a', { templates: { a: { id: 'a', variables: [''] } } }],
  ['two of one name', 'templates.a', { templates: { a: { id: 'a', variables: ['x', 'x'] } } }],
])('%s is no definition, and the error names %s', (_, name, definition) => {
  const define = () => defineWorkspace(untyped<WorkspaceDefinition>(definition));

  expect(define).toThrow(ConfigurationError);
  expect(define).toThrow(name);
});

test('a definition may leave out any part', () => {
  expect(defineWorkspace({}).definition).toEqual({});
  expect(defineWorkspace(untyped<WorkspaceDefinition>({ properties: undefined })).definition).toEqual({
    properties: undefined,
  });
});

test('a client shows its workspace to whoever asks, and not when it is printed', () => {
  const workspace = defineWorkspace({ properties: { firstName: z.string() } });
  const messaging = new MessagingAutomation({ apiKey, baseUrl, workspace });

  expect(messaging.workspace).toBe(workspace);
  expect(new MessagingAutomation({ apiKey, baseUrl }).workspace).toBeUndefined();
  expect(inspect(messaging) + JSON.stringify(messaging)).not.toContain('firstName');
});
