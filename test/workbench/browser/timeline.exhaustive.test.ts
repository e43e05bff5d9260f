import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createReferenceServer, keepOnFailure } from 'messaging-automation/server';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { startServe } from '../../cli/served.js';
import { folderWith } from '../../folder.js';
import { busyWorkbench } from './busy-workbench.js';
import { describeInBrowser, eventually } from './in-browser.js';
import { acknowledge, phone, serveWorkbench, usualSeed } from './served-workbench.js';

const journeys = [{ id: 'follow_up', event: 'order_placed', steps: [{ wait: '20d' }] }] as const;

/** The rows of the timeline, from the top down. */
function rowsIn(page: Page) {
  return page.getByRole('list', { name: /newest first/ }).getByRole('link');
}

/** The kinds of the entries that show, from the top down. */
async function kindsIn(page: Page): Promise<readonly (string | null)[]> {
  const icons = await rowsIn(page).getByRole('img').all();
  return Promise.all(icons.map((icon) => icon.getAttribute('aria-label')));
}

function row(page: Page, kind: string, words: string) {
  return rowsIn(page).filter({ has: page.getByRole('img', { name: kind }), hasText: words });
}

describeInBrowser('the timeline', ({ open }) => {
  test('the filters are in the URL, survive a reload, and can be taken back', async () => {
    const server = await busyWorkbench();
    const other = '+15557654321';
    await server.ask('POST', '/api/v1/contacts', { phone: other });
    await server.receive('Hello from another', other);
    const { page } = await open(server.page);
    await page.getByText('live', { exact: true }).waitFor();
    const everything = await kindsIn(page);
    const filters = page.getByRole('search');
    const press = (name: string) => filters.getByRole('button', { name, exact: true }).click();
    const kinds = (...names: readonly string[]) =>
      eventually(async () => [...new Set(await kindsIn(page))].sort()).toEqual(names);

    await press('Message');
    await press('Send');
    await kinds('Message', 'Send');
    expect(page.url()).toContain('kind=message%2Csend');
    await page.reload();
    await kinds('Message', 'Send');
    await press('Message');
    await kinds('Send');
    await press('Send');
    await press('Failed only');
    await kinds('Delivery', 'Request');
    expect(page.url()).toContain('outcome=failed');
    await page.getByRole('link', { name: 'Clear' }).click();
    await eventually(() => kindsIn(page)).toEqual(everything);

    await page.getByLabel('Text in the entries').fill('from ANOTHER');
    await kinds('Delivery', 'Message');
    await row(page, 'Message', 'Hello from another').click();
    await page.getByRole('link', { name: `all of ${other}` }).click();
    await kinds('Delivery', 'Message', 'Request');
    expect(page.url()).toContain(`contact=${encodeURIComponent(other)}`);
    await page.reload();
    await kinds('Delivery', 'Message', 'Request');
    await press(`Remove the filter by contact ${other}`);
    await eventually(() => kindsIn(page)).toEqual(everything);

    await page.getByLabel('Text in the entries').fill('nothing says this');
    await page.getByRole('link', { name: 'Show all' }).click();
    await eventually(() => kindsIn(page)).toEqual(everything);
    expect(await page.getByLabel('Text in the entries').inputValue()).toBe('');
  });

  test('a filter keeps what was typed before the browser reported the change of the URL', async () => {
    const server = await busyWorkbench();
    const { page } = await open(server.page);
    const search = page.getByLabel('Text in the entries');
    await search.waitFor();
    await page.evaluate(async () => {
      const rendered = () => new Promise<void>((done) => queueMicrotask(() => queueMicrotask(done)));
      const field = document.querySelector<HTMLInputElement>('[type=search]');
      field?.focus();
      for (const letter of 'delivered') {
        document.execCommand('insertText', false, letter);
        await rendered();
        document.querySelector<HTMLElement>('.filter .choice')?.click();
        await rendered();
      }
    });
    expect(await search.inputValue()).toBe('delivered');
    expect(page.url()).toContain('text=delivered');
  });

  test.each([380, 1280])(
    'each moment of nine days can be dated on every view, %i pixels wide',
    async (width) => {
      const server = await serveWorkbench({
        ...usualSeed,
        now: '2026-11-25T06:57:54Z',
        clock: 'frozen',
        journeys,
      });
      await server.subscribe(await acknowledge());
      await server.ask('POST', '/api/v1/events', { event: 'order_placed', phone });
      await server.ask('POST', '/control/clock/advance', { by: '2d' });
      await server.receive('on the second day');
      await server.ask('POST', '/control/clock/advance', { by: '7d' });
      await server.receive('on the ninth day');
      const { page } = await open(server.page, { viewport: { width, height: 800 } });
      const days = ['Fri 4 Dec', '7 d earlier · Fri 27 Nov', '2 d earlier · Wed 25 Nov'];
      const list = page.getByRole('region', { name: 'Timeline' });
      for (const day of days) await list.getByText(day, { exact: true }).waitFor();
      for (const time of await list.getByText('06:57:54').all()) expect(await time.isVisible()).toBe(true);
      const show = (view: string) => page.getByRole('link', { name: view }).first().click();
      await show('Deliveries');
      for (const day of days.slice(0, 2))
        await page
          .getByRole('region', { name: /deliveries/ })
          .getByText(day, { exact: true })
          .waitFor();
      await show('Journeys');
      await page.getByText('began Wed 25 Nov 06:57:54').first().waitFor();
      await page.goto(`${server.url}/#/phone?phone=${encodeURIComponent(phone)}`);
      for (const day of ['Wed 25 Nov', '2 d later · Fri 27 Nov', '7 d later · Fri 4 Dec'])
        await page.getByRole('list', { name: 'Conversation' }).getByText(day, { exact: true }).waitFor();
    },
  );

  test('the clock says how far it is from that of the machine', async () => {
    const server = await serveWorkbench();
    const { page } = await open(server.page);
    const clock = page.getByRole('group', { name: 'Clock of the workspace' });
    await page.getByText('live', { exact: true }).waitFor();
    expect(await clock.getByText('ahead').count()).toBe(0);
    await clock.getByRole('button', { name: '+1d' }).click();
    await clock.getByText('1 d ahead').waitFor();
  });

  test('an entry opens by a click and by arrows, and closes', async () => {
    const server = await serveWorkbench();
    for (const body of ['one', 'two', 'three']) await server.receive(body);
    const { page } = await open(server.page);
    const opens = (body: string) =>
      page
        .getByRole('region', { name: /^Message/ })
        .getByText(`“${body}”`)
        .first()
        .waitFor();
    await row(page, 'Message', 'two').click();
    await opens('two');
    expect(await row(page, 'Message', 'two').getAttribute('aria-current')).toBe('true');
    await page.keyboard.press('ArrowDown');
    await opens('one');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await opens('three');
    await page.reload();
    await opens('three');
    await page.getByRole('link', { name: 'Close the entry' }).click();
    await page.getByText('Select an entry to see its bytes').waitFor();
  });

  test('bytes show as indented JSON in colors, as text and in hexadecimal', async () => {
    const server = await serveWorkbench();
    const body = { phone, properties: { firstName: 'Zoë' } };
    await server.ask('POST', '/api/v1/contacts', body);
    const { page } = await open(server.page);
    await row(page, 'Request', 'POST /v1/contacts').click();
    const shown = page.getByRole('region', { name: 'the request body' });
    const look = page.getByRole('group', { name: 'How to show the request body' });
    const text = JSON.stringify(body);
    expect(await shown.textContent()).toBe(JSON.stringify(body, undefined, 2));
    expect(await shown.locator('.json-key').allTextContents()).toEqual([
      '"phone"',
      '"properties"',
      '"firstName"',
    ]);
    await look.getByText(`${Buffer.byteLength(text)} bytes`).waitFor();
    await look.getByRole('button', { name: 'hex' }).click();
    const hex = Buffer.from(text)
      .toString('hex')
      .replace(/..(?!$)/g, '$& ');
    await eventually(() => shown.textContent()).toContain(hex.slice(0, 47));
    expect((await shown.textContent())?.replaceAll('\n', ' ')).toContain('c3 ab');
    await look.getByRole('button', { name: 'text' }).click();
    await eventually(() => shown.textContent()).toBe(text);
  });

  test('the workspace of a failed test says on top which test it was and what it asserted', async () => {
    const directory = folderWith({});
    const world = createReferenceServer({ clock: 'frozen' });
    onTestFinished(() => world.close());
    const assertion = "expected 'Welcome, <b>Ada</b>' to be 'Welcome, Grace'";
    const body = async () => {
      await world.simulate.inboundMessage({ phone, body: 'Hello' });
      throw new Error(assertion);
    };
    await keepOnFailure(world, body, { directory, name: 'welcomes a contact' })().catch(() => {});
    const [file = ''] = readdirSync(directory);
    const served = await startServe(['--state', join(directory, file)]);
    const { page } = await open(String(served.ready.page));
    const failed = page.getByRole('group', { name: 'The failed test' });
    await failed.getByText('Failed test: welcomes a contact').waitFor();
    expect(await failed.getByRole('region', { name: 'What the test said' }).innerText()).toBe(assertion);
    const box = await failed.boundingBox();
    const list = await page.getByRole('list', { name: /newest first/ }).boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(list?.y ?? 0);
    await row(page, 'Message', 'Hello').waitFor();
  });

  test('an entry leads to what caused it and to what it caused', async () => {
    const server = await busyWorkbench();
    const { page } = await open(server.page);
    const follow = async (kind: string) => {
      await page
        .getByRole('list', { name: 'Story' })
        .getByRole('link')
        .filter({ has: page.getByRole('img', { name: kind }) })
        .first()
        .click();
      await page.getByRole('region', { name: new RegExp(`^${kind} `) }).waitFor();
    };
    await row(page, 'Event', 'order_placed').click();
    for (const kind of ['Event', 'Journey', 'Send', 'Request']) await follow(kind);
    await row(page, 'Message', 'Where is my order?').click();
    await follow('Delivery');
    await follow('Message');
    await row(page, 'Request', 'templates').click();
    await follow('Fault');
  });
});
