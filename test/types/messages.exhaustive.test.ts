import { mkdirSync, writeFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { programOf } from '../documentation/compiler.js';
import { repositoryFile } from '../repository.js';

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

test('the error of a mistake names it', () => {
  const folder = repositoryFile('.cache/types');
  mkdirSync(folder, { recursive: true });
  const files = mistakes.map(([mistake], index) => {
    const path = `${folder}/mistake-${index}.ts`;
    writeFileSync(path, `${preamble}${mistake}\n`);
    return path;
  });
  const program = programOf(files);
  const messages = files.map((path) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
      .join('\n'),
  );

  expect(messages).toEqual(mistakes.map(([, message]) => expect.stringContaining(message)));
});
