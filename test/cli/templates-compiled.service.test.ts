import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { typeErrors } from '../documentation/example-files.js';
import {
  hostile,
  newFile,
  orderUpdate,
  pull,
  serveList,
  serveTemplates,
  welcome,
} from './pulled-templates.js';
import { runAt } from './served.js';

test('what is pulled compiles, types a send by its template and variables, and reaches the server', async () => {
  const { url } = await serveTemplates(welcome, orderUpdate);
  const file = await newFile();
  await pull(url, file);
  const program = join(file, '..', 'program.ts');
  await writeFile(
    program,
    `import { type ClientOptions, defineWorkspace, MessagingAutomation } from 'messaging-automation';
import * as z from 'zod';
import { workspace as pulled } from './templates.js';
const workspace = defineWorkspace({ templates: pulled.definition.templates, events: { order_placed: z.object({}) } });
const phone = '+15551234567';
export async function sendAll(options: ClientOptions) {
  const { contacts, transactional } = new MessagingAutomation({ ...options, workspace });
  await contacts.upsert({ phone });
  await transactional.send({ phone, template: 'welcome_2' });
  await transactional.send({ phone, template: 'order_update', variables: { variable1: 'Ada', variable2: 'A-1' } });
}
export async function missend({ transactional }: MessagingAutomation<typeof workspace>) {
  // @ts-expect-error a variable is missing
  await transactional.send({ phone, template: 'order_update', variables: { variable1: 'Ada' } });
  // @ts-expect-error there is no such template
  await transactional.send({ phone, template: 'order_updates' });
}
`,
  );
  const [empty, strange] = [await newFile(), await newFile()];
  await pull(await serveList([]), empty);
  await pull(
    await serveList(hostile.map((text) => ({ id: text, body: `${text}\n${text} {{1}}\n@ts-ignore` }))),
    strange,
  );
  const files = [file, program, empty, strange].map((path) => ({ path, origin: path }));
  expect(typeErrors(files)).toEqual([]);
  const { sendAll } = await import(/* @vite-ignore */ pathToFileURL(program).href);
  await sendAll({ baseUrl: `${url}/api`, apiKey: 'test_key' });
  const { lines } = await runAt(url, 'logs', '--type', 'send');
  expect(lines.join('\n')).toContain('"Hello Ada, your order A-1 is on its way."');
});
