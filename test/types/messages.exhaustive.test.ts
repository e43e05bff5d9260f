import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { programOf } from '../documentation/compiler.js';
import { repositoryFile } from '../repository.js';
import { folderOfPackage } from '../run/frameworks.js';
import { shared } from '../run/shared.js';

const preamble = `
import { defineWorkspace, MessagingAutomation } from 'messaging-automation';
import * as z from 'zod';

const workspace = defineWorkspace({
  properties: { firstName: z.string(), visits: z.int() },
  events: { order_placed: z.object({ orderId: z.string() }), cart_emptied: z.object({}) },
  templates: {
    orderUpdate: { id: 'order_update', variables: ['firstName', 'orderNumber'] },
    welcome: { id: 'welcome_2' },
  },
});
const { contacts, events, transactional } = new MessagingAutomation({ workspace });
const contact = await contacts.get('c1');
`;

/** A mistake, and what the compiler says of it where the reader looks: at the end. */
const mistakes: readonly (readonly [mistake: string, message: string])[] = [
  ["contacts.upsert({ phone: '', properties: { fristName: '' } });", "Did you mean to write 'firstName'?"],
  [
    "contacts.upsert({ phone: '', properties: { visits: '3' } });",
    "Type 'string' is not assignable to type 'number'.",
  ],
  ['contact.properties.fristName;', "Did you mean 'firstName'?"],
  [
    "events.track({ event: 'order_plcaed', phone: '', properties: { orderId: '' } });",
    `Type '"order_plcaed"' is not assignable to type '"order_placed" | "cart_emptied"'. Did you mean '"order_placed"'?`,
  ],
  [
    "events.track({ event: 'order_placed', phone: '', properties: { orderID: '' } });",
    "'orderID' does not exist in type '{ orderId: string; }'. Did you mean to write 'orderId'?",
  ],
  [
    "transactional.send({ phone: '', template: 'welcom' });",
    `Type '"welcom"' is not assignable to type '"orderUpdate" | "welcome"'. Did you mean '"welcome"'?`,
  ],
  [
    "transactional.send({ phone: '', template: 'orderUpdate', variables: { firstName: '' } });",
    "Property 'orderNumber' is missing",
  ],
];

const plainPreamble = `
import { MessagingAutomation } from 'messaging-automation';
import { createReferenceServer } from 'messaging-automation/server';
import { createWebhookReceiver, verifyWebhook } from 'messaging-automation/webhooks';

const { contacts, events, transactional, webhooks } = new MessagingAutomation();
const receiver = createWebhookReceiver({ secret: 'whsec_example' });
`;

/** Typical mistakes without a workspace, with the first line that the compiler says, and the last, where it has more than one. */
const plainMistakes: readonly (readonly [mistake: string, first: string, last?: string])[] = [
  [
    "events.track({ event: 'order_placed' });",
    "Argument of type '{ event: string; }' is not assignable to parameter of type 'TrackInput'.",
    "Property 'phone' is missing in type '{ event: string; }' but required in type '{ readonly phone: string; readonly contactId?: never; }'.",
  ],
  [
    "events.track({ event: 'order_placed', phone: '', contactId: '' });",
    "Argument of type '{ event: string; phone: string; contactId: string; }' is not assignable to parameter of type 'TrackInput'.",
    "Type 'string' is not assignable to type 'undefined'.",
  ],
  [
    "receiver.on('message.recieved', () => {});",
    `Argument of type '"message.recieved"' is not assignable to parameter of type 'WebhookEventType'.`,
  ],
  [
    "webhooks.create({ url: '', events: ['message.recieved'] });",
    `Type '"message.recieved"' is not assignable to type 'WebhookEventType'. Did you mean '"message.received"'?`,
  ],
  [
    'createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET });',
    "Type 'string | undefined' is not assignable to type 'WebhookSecret | readonly WebhookSecret[] | SecretOfRequest<unknown>'.",
    "Type 'undefined' is not assignable to type 'WebhookSecret | readonly WebhookSecret[] | SecretOfRequest<unknown>'.",
  ],
  [
    "verifyWebhook('body', 'signature', process.env.WEBHOOK_SECRET);",
    "Argument of type 'string | undefined' is not assignable to parameter of type 'WebhookSecret | readonly WebhookSecret[]'.",
    "Type 'undefined' is not assignable to type 'WebhookSecret | readonly WebhookSecret[]'.",
  ],
  [
    "createWebhookReceiver({ secret: '', dedup: undefined });",
    "Object literal may only specify known properties, but 'dedup' does not exist in type 'WebhookReceiverOptions<unknown>'. Did you mean to write 'dedupe'?",
  ],
  [
    "const seed = { templates: [{ id: 'a', body: 'b', status: 'aproved' }] }; createReferenceServer(seed);",
    "Argument of type '{ templates: { id: string; body: string; status: string; }[]; }' is not assignable to parameter of type 'ReferenceServerOptions'.",
    "Type 'string' is not assignable to type 'TemplateStatus | undefined'.",
  ],
  [
    "transactional.send({ phone: '', variables: { 1: 'Ada' } });",
    "Argument of type '{ phone: string; variables: { 1: string; }; }' is not assignable to parameter of type 'SendInput'.",
    "Property 'templateId' is missing in type '{ phone: string; variables: { 1: string; }; }' but required in type 'SendInput'.",
  ],
  [
    "transactional.send({ phone: '', templateId: '', variables: { 1: 7 } });",
    "Type '{ 1: number; }' is not assignable to type 'Readonly<Record<string, string>>'.",
    "Type 'number' is not assignable to type 'string'.",
  ],
  [
    "contacts.upsert({ phone: '', properties: { name: null } });",
    "Type 'null' is not assignable to type 'PropertyValue | undefined'.",
  ],
  [
    "const seen = ['message.received']; webhooks.create({ url: '', events: seen });",
    "Type 'string[]' is not assignable to type 'readonly WebhookEventType[]'.",
    "Type 'string' is not assignable to type 'WebhookEventType'.",
  ],
];

await shared('frameworks');
const load = createRequire(import.meta.url);
const compilers: readonly (readonly [version: string, compiler: typeof ts])[] = [
  ['the version of this repository', ts],
  ['5.9', load(folderOfPackage('typescript-5.9'))],
];

/** What a compiler says of programs, one text for each, in the order of the programs. */
function messagesOf(sources: readonly string[], compiler: typeof ts): readonly string[] {
  const folder = repositoryFile('.cache/types');
  mkdirSync(folder, { recursive: true });
  const files = sources.map((source, index) => {
    const path = `${folder}/mistake-${index}.ts`;
    writeFileSync(path, source);
    return path;
  });
  const program = programOf(files, compiler);
  return files.map((path) =>
    compiler
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      .map(({ messageText }) => compiler.flattenDiagnosticMessageText(messageText, '\n'))
      .join('\n'),
  );
}

describe.each(compilers)('TypeScript, %s', (_, compiler) => {
  test('the error of a mistake names it', () => {
    const messages = messagesOf(
      mistakes.map(([mistake]) => `${preamble}${mistake}\n`),
      compiler,
    );
    expect(messages).toEqual(mistakes.map(([, message]) => expect.stringContaining(message)));
  });

  test('the first line of an error says what is wrong, and the last one where', () => {
    const messages = messagesOf(
      plainMistakes.map(([mistake]) => `${plainPreamble}${mistake}\n`),
      compiler,
    ).map((message) => message.split('\n').map((line) => line.trim()));
    expect(messages.map((lines) => [lines.at(0), lines.at(-1)])).toEqual(
      plainMistakes.map(([, first, last = first]) => [first, last]),
    );
  });
});
