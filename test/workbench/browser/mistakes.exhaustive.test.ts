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
    await page.getByRole('button', { name: 'Each entry' }).click();
    const row = (event: string) => page.getByRole('link', { name: event });
    await eventually(() => row('order_complted').textContent()).toContain('no journey or segment listens');

    await server.ask('POST', '/api/v1/events', { event: 'order_completed', phone });
    await eventually(() => row('order_completed').textContent()).toContain('tracked');
    expect(await row('order_completed').textContent()).not.toContain('listens');
  });

  test('a phone that a contact has leads to the contact, which keeps its name', async () => {
    const server = await serveWorkbench();
    const { page } = await open(server.page);
    await page.getByRole('button', { name: /Ada.*all contacts/ }).click();
    await page.getByText('+ New contact').click();
    const form = page.getByRole('form', { name: 'New contact' });
    expect(await form.getByLabel('Phone').inputValue()).toBe('');
    await form.getByLabel('Phone').fill(phone);
    await form.getByLabel('First name (optional)').fill('Eve');
    await form.getByRole('button', { name: 'Create the contact' }).click();
    await page.getByText(`${phone} is a contact already.`).waitFor();
    await form.waitFor({ state: 'detached' });
    const path = `/control/contacts/${encodeURIComponent(phone)}`;
    expect(await server.ask('GET', path)).toMatchObject({ properties: { firstName: 'Ada' } });
  });

  test('a double click deletes nothing, and Escape gives the focus back', async () => {
    const server = await serveWorkbench();
    const { page, problems } = await open(server.page);
    problems.expect(/404/); // the contact that is deleted while it is shown
    const status = () => server.status('GET', `/control/contacts/${encodeURIComponent(phone)}`);
    await page.getByRole('button', { name: 'Properties' }).click();
    const remove = page.getByRole('button', { name: 'Delete the contact' }).first();
    const dialog = page.getByRole('dialog', { name: `Delete ${phone} for good?` });
    await remove.dblclick();
    await dialog.waitFor();
    expect(await status()).toBe(200);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await remove.click();
    await dialog.waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
    const agree = dialog.getByRole('button', { name: 'Delete the contact' });
    // The second press of a double click, where the dialog covers the button that opened it.
    await agree.hover();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    expect(await dialog.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Delete the contact');
    expect(await status()).toBe(200);
    await remove.click();
    await agree.click();
    await eventually(status).toBe(404);
  });

  test('the next step of one run says first that it moves the clock of all runs', async () => {
    const wait = { id: 'welcome', event: 'signed_up', steps: [{ wait: '1h' }] } as const;
    const other = '+15557654321';
    const server = await serveWorkbench({
      ...usualSeed,
      clock: 'frozen',
      journeys: [wait],
      contacts: [{ phone }, { phone: other }],
    });
    for (const each of [phone, other]) {
      await server.ask('POST', '/api/v1/events', { event: 'signed_up', phone: each });
    }
    const { page } = await open(server.page);
    await page.getByRole('link', { name: 'Journeys' }).click();
    await page
      .getByRole('button', { name: /^Advance all to .*2 runs/ })
      .first()
      .click();
    await eventually(() => server.list('/control/journey-runs')).toMatchObject([
      { status: 'finished' },
      { status: 'finished' },
    ]);
  });

  test('a link to an entry of another journal, or to no entry, says that it is not here', async () => {
    const server = await serveWorkbench();
    await server.receive('Hello');
    const { page } = await open(server.page);
    const opened = page.getByText(/· entry \d+/);
    await page.getByRole('list', { name: 'All entries, newest first' }).getByRole('link').first().click();
    await opened.waitFor();
    const link = new URL(page.url()).hash;
    const number = link.replace(/.*-/, '');
    for (const entry of [`of-another-${number}`, '99999', 'x']) {
      await goTo(page, `#/timeline?entry=${entry}`);
      await page.getByRole('alert').getByText('The entry of this link is not here.').waitFor();
      expect(await opened.count()).toBe(0);
      await goTo(page, link);
      await opened.waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    }
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
        'fault: every request: returns 503×',
        'no sends left×',
        'template order_update is paused×',
      ]);
      expect(await excessOf(page)).toBe(0);
    }
    await strip.getByRole('button', { name: 'End the fault: every request: returns 503' }).click();
    await strip.getByRole('button', { name: 'Approve order_update' }).click();
    await strip.getByRole('button', { name: 'Let the clock flow' }).click();
    await eventually(() => strip.getByRole('listitem').allTextContents()).toEqual(['no sends left×']);
    expect(await server.list('/control/faults')).toEqual([]);
    await strip.getByRole('button', { name: 'Restore 100 sends' }).click();
    await eventually(() => strip.count()).toBe(0);
    expect(await server.ask('GET', '/control/quota')).toMatchObject({ quota: 100 });
  });

  test('a delivery that failed before the journal began is counted', async () => {
    const server = await serveWorkbench({ ...usualSeed, clock: 'frozen' });
    await server.subscribe('http://127.0.0.1:9/hooks');
    await server.receive('Hello');
    for (const _ of [1, 2, 3, 4, 5, 6]) await server.status('POST', '/control/clock/advance-to-next');
    const restored = await serveWorkbench();
    await restored.ask('PUT', '/control/snapshot', Object(await server.ask('GET', '/control/snapshot')));
    const { page } = await open(restored.page);
    await page.getByRole('link', { name: /restore/ }).waitFor();
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
