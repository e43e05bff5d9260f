import { expect, test } from 'vitest';
import { describeInBrowser, eventually, excessOf, goTo } from './in-browser.js';
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
    await page.getByRole('link', { name: /Delivery \/hooks.*Ada “Hello”/s }).click();
    await page.getByText('retry in 10 s, but the clock is frozen').waitFor();

    await server.ask('POST', '/control/clock/flow');
    await eventually(() => page.getByText('but the clock is frozen').count()).toBe(0);
  });

  test('what is not normal is said on every view until it ends', async () => {
    const server = await serveWorkbench({ ...usualSeed, clock: 'frozen', quota: 0 });
    await server.ask('POST', '/control/faults', { operation: 'any', fault: { kind: 'status', status: 503 } });
    await server.ask('PUT', '/control/templates/order_update', { status: 'paused' });
    const { page } = await open(server.page, { viewport: { width: 380, height: 800 } });
    const strip = page.getByRole('list', { name: 'What is not normal' });
    for (const view of ['phone', 'deliveries', 'journeys', 'workspace', 'timeline']) {
      await goTo(page, `#/${view}`);
      await eventually(() => strip.getByRole('listitem').allTextContents()).toEqual([
        'the clock is frozen×',
        'fault: every request: answer 503×',
        'no sends left',
        'template order_update is paused×',
      ]);
      expect(await excessOf(page)).toBe(0);
    }
    await strip.getByRole('button', { name: 'End the fault: every request: answer 503' }).click();
    await strip.getByRole('button', { name: 'Approve order_update' }).click();
    await strip.getByRole('button', { name: 'Let the clock flow' }).click();
    await eventually(() => strip.getByRole('listitem').allTextContents()).toEqual(['no sends left']);
    expect(await server.list('/control/faults')).toEqual([]);
    await server.ask('PUT', '/control/quota', { quota: 1, addOnCredits: 0 });
    await eventually(() => strip.count()).toBe(0);
  });

  test('a delivery that failed before the journal began is counted', async () => {
    const server = await serveWorkbench({ ...usualSeed, clock: 'frozen' });
    await server.subscribe('http://127.0.0.1:9/hooks');
    await server.receive('Hello');
    for (const _ of [1, 2, 3, 4, 5, 6]) await server.status('POST', '/control/clock/advance-to-next');
    const restored = await serveWorkbench();
    await restored.ask('PUT', '/control/snapshot', Object(await server.ask('GET', '/control/snapshot')));
    const { page } = await open(restored.page);
    await page.getByText('Nothing has happened since the journal began').waitFor();
    await page.getByRole('link', { name: /^Deliveries 1 failing/ }).waitFor();
    await eventually(() => page.title()).toBe('1 failing · acme · Workbench');
  });

  test('on a narrow screen nothing moves when a retry is due', async () => {
    const server = await serveWorkbench({ ...usualSeed, clock: 'frozen' });
    await server.subscribe('http://127.0.0.1:9/hooks');
    const { page } = await open(server.page, { viewport: { width: 380, height: 800 } });
    const views = page.getByRole('navigation', { name: 'Views' });
    await page.getByText('frozen', { exact: true }).waitFor({ state: 'attached' });
    const before = await views.boundingBox();

    await server.receive('Hello');
    await page.getByRole('button', { name: /next: in 10 s/ }).waitFor();
    expect(await views.boundingBox()).toEqual(before);
  });
});
