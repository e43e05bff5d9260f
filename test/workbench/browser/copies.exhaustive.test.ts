import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryFile } from '../../repository.js';
import { startListener } from '../../server/support/listener.js';
import { describeInBrowser, eventually } from './in-browser.js';
import { key, phone, serveWorkbench } from './served-workbench.js';

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
  await server.subscribe(await startListener((_, response) => response.writeHead(204).end()));
  await server.ask('POST', '/api/v1/contacts', { phone, properties: { firstName: "O'Hara" } });
  await server.status('POST', '/api/v1/contacts', { phone: 'not a phone' });
  const variables = { 1: 'Ada', 2: `"A"'1001` };
  await server.ask('POST', '/api/v1/transactional', { phone, templateId: 'order_update', variables });
  await server.receive("Where's my order? 📦");
  await server.ask('GET', '/control/deliveries?status=delivered&wait=10s');
  return server;
}

const permissions = ['clipboard-read', 'clipboard-write'];

describeInBrowser('what the workbench lets a person take away', ({ open }) => {
  test('the copied tests run against the saved seed', async () => {
    const server = await workbenchToCopyFrom();
    const { page } = await open(server.page, { permissions });
    const folder = await folderBesidePackages();
    const save = (name: string, text: string) => writeFile(join(folder, name), text);
    // A send is what the application does: the test leaves a line for it.
    const doing = (text: string, code: string) => text.replace(/^ *\/\/ Do here .*$/m, code);
    await save('request.test.ts', await copy(page, request, 'test'));
    await save('refusal.test.ts', await copy(page, refusal, 'test'));
    await save('message.test.ts', await copy(page, message, 'test'));
    await save('delivery.test.ts', await copy(page, delivery, 'test'));
    const call = /^await messaging\.(.*)$/ms.exec(await copy(page, send, 'code'))?.[1];
    await save('send.test.ts', doing(await copy(page, send, 'test'), `await server.client.${call}`));

    await page.getByRole('link', { name: 'Workspace' }).click();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as seed' }).click();
    const seed = await downloaded;
    expect(seed.suggestedFilename()).toBe('seed.json');
    await seed.saveAs(join(folder, 'seed.json'));
    expect(JSON.parse(await readFile(join(folder, 'seed.json'), 'utf8'))).toMatchObject({ quota: 99 });

    const config = `import repository from '${repositoryFile('vitest.config.ts')}';
export default { resolve: repository.resolve, test: { root: ${JSON.stringify(folder)} } };`;
    await save('vitest.config.ts', config);
    const printed = await shell(
      folder,
      process.execPath,
      [repositoryFile('node_modules/vitest/vitest.mjs'), 'run', '--no-isolate', '--reporter=json'],
      server.url,
    );
    expect(JSON.parse(printed)).toMatchObject({ numPassedTests: 5, numFailedTests: 0 });
  });

  test('the copied commands and the copied code do it again', async () => {
    const server = await workbenchToCopyFrom();
    const { page } = await open(server.page, { permissions });
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
