import { expect, test } from 'vitest';
import { describeInBrowser, eventually } from './in-browser.js';
import { phone, serveWorkbench, usualSeed } from './served-workbench.js';

describeInBrowser('what the workbench says of a mistake', ({ open }) => {
  test('an event that no journey and no segment listens to says so', async () => {
    const server = await serveWorkbench({
      ...usualSeed,
      segments: [{ id: 'buyers', event: 'order_completed' }],
    });
    const { page } = await open(server.page);
    await page.getByRole('button', { name: 'Event', exact: true }).last().click();
    await page.getByLabel('Event', { exact: true }).fill('order_complted');
    await page.getByRole('button', { name: 'Track the event' }).click();
    await page.getByText('The event is tracked, but no journey or segment listens to it.').waitFor();
    const row = (event: string) => page.getByRole('link', { name: event });
    await eventually(() => row('order_complted').textContent()).toContain('no journey or segment listens');

    await server.ask('POST', '/api/v1/events', { event: 'order_completed', phone });
    await eventually(() => row('order_completed').textContent()).toContain('tracked');
    expect(await row('order_completed').textContent()).not.toContain('listens');
  });

  test('a retry that a frozen clock holds back says so', async () => {
    const server = await serveWorkbench({ ...usualSeed, clock: 'frozen' });
    await server.subscribe('http://127.0.0.1:9/hooks');
    await server.receive('Hello');
    const { page } = await open(server.page);
    await page.getByRole('link', { name: /^Deliveries/ }).click();
    await page.getByRole('link', { name: /Delivery message\.received/ }).click();
    await page.getByText('retry in 10 s, but the clock is frozen').waitFor();

    await server.ask('POST', '/control/clock/flow');
    await eventually(() => page.getByText('but the clock is frozen').count()).toBe(0);
  });

  test('on a narrow screen nothing moves when a retry is due', async () => {
    const server = await serveWorkbench({ ...usualSeed, clock: 'frozen' });
    await server.subscribe('http://127.0.0.1:9/hooks');
    const { page } = await open(server.page, { viewport: { width: 380, height: 800 } });
    const views = page.getByRole('navigation', { name: 'Views' });
    await page.getByText('frozen').waitFor({ state: 'attached' });
    const before = await views.boundingBox();

    await server.receive('Hello');
    await page.getByRole('button', { name: /next: in 10 s/ }).waitFor();
    expect(await views.boundingBox()).toEqual(before);
  });
});
