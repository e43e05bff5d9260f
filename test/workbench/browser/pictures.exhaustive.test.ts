import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceSeed } from 'messaging-automation/server';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { withPalette } from '../../../scripts/small-png.js';
import { startListener } from '../../server/support/listener.js';
import { describeInBrowser } from './in-browser.js';
import { phone, type ServedWorkbench, serveWorkbench, usualSeed } from './served-workbench.js';

/** The largest picture in the guides, in bytes: the repository keeps each one for good. */
const largest = 120_000;

const { PICTURES: folder } = process.env;

/** The pictures show the ports that the guides use. Any other run takes free ones. */
const ports = folder === undefined ? { server: '0', receiver: 0 } : { server: '4010', receiver: 3000 };

/** Takes a picture for the guides. `npm run pictures` names the folder for it. Any other run throws it away. */
async function take(page: Page, name: string): Promise<void> {
  const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  expect(picture.length, name).toBeGreaterThan(10_000);
  if (folder === undefined) return;
  const small = await withPalette(picture);
  expect(small.length, name).toBeLessThan(largest);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.png`), small);
}

const wide = { viewport: { width: 1360, height: 820 } };

const morning = '2026-03-02T09:13:00Z';

/**
 * Sets the date of this process, which serves the pages, to that of the workspace. Otherwise the pictures would show the difference
 * between the two, which depends on the day on which they are taken.
 */
function onThatMorning(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(morning) });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

/** Moves both clocks. */
async function advance(server: ServedWorkbench, seconds: number): Promise<void> {
  vi.setSystemTime(Date.now() + seconds * 1_000);
  await server.ask('POST', '/control/clock/advance', { by: `${seconds}s` });
}

/** A workspace on a morning, with a receiver that refuses each delivery until it is told to accept. */
async function aMorning() {
  onThatMorning();
  let status = 401;
  const url = await startListener((_, response) => {
    response.sendDate = false; // Node.js writes the machine's date
    response.writeHead(status).end();
  }, ports.receiver);
  const seed: WorkspaceSeed = {
    ...usualSeed,
    workspaceId: 'shop',
    clock: 'frozen',
    now: morning,
    templates: [
      ...(usualSeed.templates ?? []),
      { id: 'how_was_it', body: 'Hello {{1}}, how was your order?' },
      { id: 'summer_sale', body: '{{1}}, everything is 20 % off until Sunday.', status: 'pending' },
    ],
    segments: [{ id: 'customers', event: 'order_placed', atLeast: 1 }],
    journeys: [
      {
        id: 'follow_up',
        event: 'order_placed',
        steps: [
          { send: 'order_update', variables: { 1: { contact: 'firstName' }, 2: { event: 'orderId' } } },
          { wait: '1d' },
          {
            branch: { segment: 'customers' },
            do: [{ send: 'how_was_it', variables: { 1: { contact: 'firstName' } } }],
          },
        ],
      },
    ],
  };
  const server = await serveWorkbench(seed, '--port', ports.server);
  await server.subscribe(url);
  await server.receive('START');
  await advance(server, 41);
  expect(await server.status('POST', '/api/v1/transactional', { phone, templateId: 'order_update' })).toBe(
    422,
  );
  await server.ask('POST', '/api/v1/events', {
    phone,
    event: 'order_placed',
    properties: { orderId: 'A-1001' },
  });
  await server.ask('POST', '/control/settled');
  await advance(server, 12);
  await server.receive('Where is my order?');
  await server.ask('GET', '/control/journal?type=attempt&wait=10s');
  await server.ask('POST', '/control/settled');
  return {
    server,
    accept: () => {
      status = 204;
    },
  };
}

describeInBrowser('the pictures of the guides', ({ open }) => {
  test('show the workbench as a person sees it', async () => {
    const { server, accept } = await aMorning();
    const { page } = await open(server.page, wide);

    await page
      .getByRole('link', { name: /failed.*401|401.*failed/s })
      .first()
      .click();
    await page.getByRole('group', { name: 'Why the delivery failed' }).waitFor();
    await page.getByText('signature matches these bytes').waitFor();
    await take(page, 'timeline');

    accept();
    await page.getByRole('button', { name: 'Redeliver now' }).click();
    await page.getByRole('button', { name: 'Close the notice' }).click();
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByText('delivered', { exact: true }).first().waitFor();
    await page.getByRole('list', { name: 'Deliveries, newest first' }).getByRole('link').first().click();
    await page.getByText('Sent request').waitFor();
    await take(page, 'deliveries');

    await page.getByRole('link', { name: 'Journeys' }).click();
    await page
      .getByRole('button', { name: /^Advance all to/ })
      .first()
      .waitFor();
    await take(page, 'journeys');

    await page.getByRole('link', { name: 'Workspace' }).click();
    await page.getByRole('button', { name: 'Save as seed' }).waitFor();
    await page.getByText('Gaps of the document').waitFor();
    await take(page, 'workspace');
  });

  test('show it on a telephone', async () => {
    const { server } = await aMorning();
    const narrow = await open(await server.link(), { viewport: { width: 380, height: 760 } });
    await narrow.page.getByRole('link', { name: 'Phone' }).click();
    const conversation = narrow.page.getByRole('list', { name: 'Conversation' });
    await conversation.getByText('Where is my order?').waitFor();
    await take(narrow.page, 'phone');
  });

  test('show how it begins', async () => {
    const seed: WorkspaceSeed = { clock: 'frozen', now: morning, workspaceId: 'shop' };
    const server = await serveWorkbench(seed, '--port', ports.server);
    const { page } = await open(server.page, wide);
    await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
    await take(page, 'first-steps');
  });
});
