import type { RequestListener } from 'node:http';
import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startListener } from '../../server/support/listener.js';
import { deadUrl } from './dead-url.js';
import { describeInBrowser } from './in-browser.js';
import { phone, serveWorkbench } from './served-workbench.js';

const quiet = { onRefused: () => {}, onError: () => {} };

/** A server whose one delivery has failed, and whose receiver is made once its secret is known. */
async function failingWith(listenerWith: (secret: string) => RequestListener) {
  let listener: RequestListener = (_, response) => response.writeHead(500).end();
  const url = await startListener((request, response) => listener(request, response));
  const server = await serveWorkbench();
  const subscription = await server.subscribe(url);
  listener = listenerWith(subscription.secret);
  await server.receive('Where is my order?');
  await server.ask('GET', '/control/journal?type=attempt&wait=10s');
  return { ...server, ...subscription };
}

/** Goes from the opened page to the cause as a person does, and counts the clicks. */
async function findCause(page: Page) {
  let clicks = 0;
  const click = async (name: RegExp) => {
    clicks += 1;
    await page.getByRole('link', { name }).click();
  };
  await click(/message\.received to 127\.0\.0\.1/);
  const why = page.getByRole('group', { name: 'Why the delivery failed' });
  await why.waitFor();
  return { clicks, said: (await why.textContent()) ?? '' };
}

describeInBrowser('how the workbench explains failures', ({ open }) => {
  test('a receiver with a wrong secret: the cause is one click away', async () => {
    const receiver = createWebhookReceiver({ secret: 'whsec_of_another', ...quiet }).onAny(() => {});
    const server = await failingWith(() => toNodeHandler(receiver));
    const { page } = await open(server.page);
    const { clicks, said } = await findCause(page);
    expect(clicks).toBeLessThanOrEqual(2);
    expect(said).toMatch(/secret/);
    expect(said).toContain(`…${server.secret.slice(-4)}`);

    await page.getByLabel("Your receiver's secret").fill('whsec_of_another');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.locator('[data-finding]').waitFor();
    await page.getByLabel("Your receiver's secret").fill(server.secret);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('With this, the delivery verifies.').waitFor();
  });

  test('a dead port', async () => {
    const server = await serveWorkbench();
    const url = await deadUrl();
    await server.subscribe(url);
    await server.receive('Where is my order?');
    await server.ask('GET', '/control/journal?type=attempt&wait=10s');
    const { page } = await open(server.page);
    const { clicks, said } = await findCause(page);
    expect(clicks).toBeLessThanOrEqual(2);
    expect(said).toMatch(/[Nn]othing listens/);
    expect(said).toContain(new URL(url).host);
  });

  test('a refusal by the API shows the fields that it names', async () => {
    const server = await serveWorkbench();
    expect(await server.status('POST', '/api/v1/contacts', { phone: 'not a phone' })).toBe(400);
    const { page } = await open(server.page);
    await page.getByRole('link', { name: /POST \/v1\/contacts.*400/s }).click();
    const detail = page.getByRole('region', { name: 'Request POST /v1/contacts' });
    await detail.getByText('The API answered 400.').waitFor();
    expect(await detail.getByRole('listitem').filter({ hasText: 'phone' }).count()).toBeGreaterThan(0);
  });

  test('a send shows its template, its variables and its cost', async () => {
    const server = await serveWorkbench();
    await server.ask('POST', '/api/v1/transactional', {
      phone,
      templateId: 'order_update',
      variables: { 1: 'Ada', 2: 'A-1001' },
    });
    const { page } = await open(server.page);
    await page.getByRole('link', { name: /Send.*order_update/s }).click();
    const detail = page.getByRole('region', { name: 'Send order_update' });
    await detail.getByText('Hello {{1}}, your order {{2}} is on its way.').waitFor();
    const said = await detail.textContent();
    expect(said).toContain('{{2}}A-1001');
    expect(said).toContain("1 conversation of the plan's quota");
    await page.getByRole('link', { name: '99 sends left' }).waitFor();
  });
});
