import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
import { startListener } from '../../server/support/listener.js';
import { describeInBrowser } from './in-browser.js';
import { serveWorkbench } from './served-workbench.js';

describeInBrowser('how the workbench explains failures', ({ open }) => {
  test('a receiver with a wrong secret: the cause is one click away', async () => {
    const quiet = { onRefused: () => {}, onError: () => {} };
    const receiver = createWebhookReceiver({ secret: 'whsec_of_another', ...quiet }).onAny(() => {});
    const server = await serveWorkbench();
    const { secret } = await server.subscribe(await startListener(toNodeHandler(receiver)));
    await server.receive('Where is my order?');
    await server.ask('GET', '/control/journal?type=attempt&wait=10s');
    const { page } = await open(server.page);
    await page.getByRole('link', { name: /message\.received to 127\.0\.0\.1/ }).click();
    const why = page.getByRole('group', { name: 'Why the delivery failed' });
    await why
      .getByText(`…${secret.slice(-4)}`)
      .first()
      .waitFor();

    await page.getByLabel("Your receiver's secret").fill('whsec_of_another');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.locator('[data-finding]').waitFor();
    await page.getByLabel("Your receiver's secret").fill(secret);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('With this, the delivery verifies.').waitFor();
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
});
