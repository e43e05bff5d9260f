import { json } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, type Opened } from './in-browser.js';
import { acknowledge, key, phone, serveWorkbench } from './served-workbench.js';

/** Opens an entry and copies it in one of the forms. */
async function copy(page: Page, entry: RegExp, as: string): Promise<string> {
  await page
    .getByRole('list', { name: /newest first/ })
    .getByRole('link', { name: entry })
    .first()
    .click();
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await page.getByRole('button', { name: `Copy as ${as}` }).click();
  await page.getByRole('status').getByText('Copied.').waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).not.toBe('');
  expect(text).not.toContain(key);
  return text;
}

const request = /Request .*POST \/v1\/contacts .*20\d/;
const refusal = /Request .*POST \/v1\/contacts .*400/;
const send = /Send .*order_update/;
const message = /Message/;
const delivery = /Delivery .*(message\.received|\/)/;

async function workbenchToCopyFrom() {
  const server = await serveWorkbench();
  await server.subscribe(await acknowledge());
  await server.ask('POST', '/api/v1/contacts', { phone, properties: { firstName: "O'Hara" } });
  await server.status('POST', '/api/v1/contacts', { phone: 'not a phone' });
  const variables = { 1: 'Ada', 2: `"A"'1001` };
  await server.ask('POST', '/api/v1/transactional', { phone, templateId: 'order_update', variables });
  await server.receive("Where's my order? 📦");
  await server.ask('GET', '/control/deliveries?status=delivered&wait=10s');
  return server;
}

/** Gives each page a clipboard of its own: the browser has one for all test files. */
const prepare = ({ context }: Opened) =>
  context.addInitScript(() => {
    let held = '';
    const clipboard = {
      writeText: async (text: string) => {
        held = text;
      },
      readText: async () => held,
    };
    Object.defineProperty(navigator, 'clipboard', { value: clipboard });
  });

describeInBrowser('what the workbench lets a person take away', ({ open }) => {
  test('a copy is the text that the server has for the entry, and the saved seed is that of the workspace', async () => {
    const server = await workbenchToCopyFrom();
    const { page } = await open(server.page, { prepare });
    await page.getByRole('button', { name: 'Each entry' }).click();
    for (const entry of [request, refusal, message, delivery, send]) {
      for (const form of ['curl', 'code', 'test']) {
        const copied = await copy(page, entry, form);
        const number = new URL(page.url()).hash.replace(/.*entry=.*-/, '');
        const { copies } = Object(await server.ask('GET', `/control/journal/${number}`));
        expect(copied).toBe(copies[form]);
      }
    }
    await page.getByRole('link', { name: 'Workspace' }).click();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as seed' }).click();
    const seed = await downloaded;
    expect(seed.suggestedFilename()).toBe('seed.json');
    expect(await json(await seed.createReadStream())).toEqual(await server.ask('GET', '/control/seed'));
  });

  test('a person records what they do, on any view, and takes it away as one test', async () => {
    const server = await workbenchToCopyFrom();
    const { page } = await open(server.page, { prepare });
    await page.getByRole('button', { name: 'Record' }).click();
    const strip = page.getByRole('list', { name: 'What is not normal' });
    await strip.getByText('● recording, 0 entries').waitFor();
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await server.receive('first');
    await server.receive('second');
    await strip.getByText('● recording, 4 entries').waitFor();
    const { data } = Object(await server.ask('GET', '/control/journal'));
    const { test: text } = Object(
      await server.ask('GET', `/control/journal-test?since=${data.at(-1).number - 4}`),
    );
    await strip.getByRole('button', { name: 'Stop and copy the test' }).click();
    await page.getByRole('status').getByText('The test is copied.').waitFor();
    await strip.getByText(/recording/).waitFor({ state: 'detached' });
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(text);
    for (const body of ['first', 'second']) expect(copied).toContain(`.says('${body}')`);
  });
});
