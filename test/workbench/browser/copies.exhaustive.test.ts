import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryFile } from '../../repository.js';
import { describeInBrowser, eventually, type Opened } from './in-browser.js';
import { acknowledge, key, phone, serveWorkbench } from './served-workbench.js';

const run = promisify(execFile);

/** Opens an entry and copies it. */
async function copy(page: Page, entry: RegExp, as: 'curl' | 'code' | 'test'): Promise<string> {
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

/** A folder in which code finds the packages of this repository. */
async function folderBesidePackages(): Promise<string> {
  await mkdir(repositoryFile('.cache'), { recursive: true });
  const folder = await mkdtemp(repositoryFile('.cache/copies-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Runs a program as a person does in a shell of theirs. */
async function shell(folder: string, program: string, words: readonly string[], url: string) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const env = {
    ...Object.fromEntries(inherited),
    MESSAGING_AUTOMATION_API_KEY: key,
    MESSAGING_AUTOMATION_BASE_URL: `${url}/api`,
  };
  return run(program, words, { cwd: folder, env }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => {
      throw new Error(`${program} failed:\n${stdout}${stderr}`);
    },
  );
}

const request = /Request POST \/v1\/contacts .*20\d/;
const refusal = /Request POST \/v1\/contacts .*400/;
const send = /Send order_update/;
const message = /Message .* wrote/;
const delivery = /Delivery message\.received/;

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
    for (const entry of [request, refusal, message, delivery, send]) {
      const copied = await copy(page, entry, 'test');
      const number = new URL(page.url()).hash.replace(/.*entry=/, '');
      const { copies } = Object(await server.ask('GET', `/control/journal/${number}`));
      expect(copied).toBe(copies.test);
    }
    await page.getByRole('link', { name: 'Workspace' }).click();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as seed' }).click();
    const seed = await downloaded;
    expect(seed.suggestedFilename()).toBe('seed.json');
    expect(await json(await seed.createReadStream())).toEqual(await server.ask('GET', '/control/seed'));
  });

  test('the copied commands and the copied code do it again', async () => {
    const server = await workbenchToCopyFrom();
    const { page } = await open(server.page, { prepare });
    const folder = await folderBesidePackages();
    const count = async (type: string) =>
      Object(await server.ask('GET', `/control/journal?type=${type}`)).data.length;
    for (const [entry, type] of [
      [request, 'request'],
      [send, 'send'],
      [message, 'message'],
    ] as const) {
      const before = await count(type);
      await shell(folder, 'sh', ['-c', await copy(page, entry, 'curl')], server.url);
      expect(await count(type)).toBe(before + 1);
    }
    const before = await count('request');
    const code = (await copy(page, request, 'code')).replace(
      `'messaging-automation'`,
      JSON.stringify(repositoryFile('src/index.ts')),
    );
    await writeFile(join(folder, 'code.ts'), code);
    const tsx = repositoryFile('node_modules/tsx/dist/cli.mjs');
    await shell(folder, process.execPath, [tsx, 'code.ts'], server.url);
    await eventually(() => count('request')).toBe(before + 1);
  });
});
