import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
import { startListener } from '../../server/support/listener.js';
import { describeInBrowser } from './in-browser.js';
import { serveWorkbench, usualSeed } from './served-workbench.js';

describeInBrowser('how the workbench explains failures', ({ open }) => {
  test('a receiver with a wrong secret: the cause is one click away', async () => {
    const quiet = { onRefused: () => {}, onError: () => {} };
    const receiver = createWebhookReceiver({ secret: 'whsec_of_another', ...quiet }).onAny(() => {});
    const server = await serveWorkbench();
    const { secret } = await server.subscribe(await startListener(toNodeHandler(receiver)));
    await server.receive('Where is my order?');
    await server.ask('GET', '/control/journal?type=attempt&wait=10s');
    const { page } = await open(server.page);
    await page.getByRole('link', { name: /to 127\.0\.0\.1/ }).click();
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
    await page.getByText('With these values, the delivery verifies.').waitFor();
  });

  test('a refusal by the API shows the fields that it names', async () => {
    const server = await serveWorkbench();
    expect(await server.status('POST', '/api/v1/contacts', { phone: 'not a phone' })).toBe(400);
    const { page } = await open(server.page);
    await page.getByRole('link', { name: /POST \/v1\/contacts.*400/s }).click();
    const detail = page.getByRole('region', { name: 'Request POST /v1/contacts' });
    await detail.getByText('The API responded with 400.').waitFor();
    expect(await detail.getByRole('listitem').filter({ hasText: 'phone' }).count()).toBeGreaterThan(0);
  });

  test('each attempt opens with its own response, and the next one says when it is due', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0x41]);
    const responses = ['<b>first</b>', 'y'.repeat(9_000), bytes];
    const server = await serveWorkbench({ ...usualSeed, clock: 'frozen' });
    await server.subscribe(
      await startListener((_, response) => {
        const body = responses.shift() ?? '';
        response.writeHead(500, { 'X-Left': responses.length, 'Content-Length': body.length }).end(body);
      }),
    );
    await server.receive('Where is my order?');
    const { page } = await open(server.page);
    await page.getByRole('link', { name: /to 127\.0\.0\.1/ }).click();
    const attempt = (name: RegExp) =>
      page
        .getByRole('group')
        .filter({ has: page.getByText(name) })
        .last();
    const first = attempt(/^1 · 500/);
    await first.getByText('X-Left: 2').waitFor();
    await first.getByText('<b>first</b>').waitFor();
    await page.getByText(/^2 · due in .*\d\d:\d\d:\d\d$/).waitFor();

    await server.ask('POST', '/control/clock/advance', { by: '1h' });
    await server.ask('POST', '/control/clock/advance', { by: '1h' });
    // The attempt of the entry stays open, and only one is.
    await page.getByText(/^3 · 500/).click();
    const third = attempt(/^3 · 500/);
    await third.getByText('3 bytes, not UTF-8').waitFor();
    await third.getByRole('button', { name: 'hex' }).click();
    await third.getByText('ff 00 41').waitFor();
    await page.getByText(/^2 · 500/).click();
    await attempt(/^2 · 500/)
      .getByText('the first 4,096 of 9,000 bytes')
      .waitFor();
    await page.getByText(/^1 · 500/).click();
    await first.getByText('<b>first</b>').waitFor();
    await third.getByText('ff 00 41').waitFor({ state: 'hidden' });
    expect(await first.getByText('X-Left').textContent()).toContain('X-Left: 2');
  });
});
