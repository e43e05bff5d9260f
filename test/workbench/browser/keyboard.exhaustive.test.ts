import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, eventually, goTo as openView } from './in-browser.js';
import { acknowledge, phone, serveWorkbench, usualSeed } from './served-workbench.js';

/** Presses a key until an element has the focus, as a person does who has no mouse. */
async function goTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor();
  const isThere = () => target.evaluate((element) => element === document.activeElement);
  for (let pressed = 0; !(await isThere()); pressed += 1) {
    expect(pressed, `the focus does not reach ${target}`).toBeLessThan(100);
    await page.keyboard.press(key);
  }
  await expectRing(page);
}

/** The page moves the focus after it has changed. */
async function expectFocus(target: Locator): Promise<void> {
  await eventually(() => target.evaluate((element) => element === document.activeElement)).toBe(true);
}

/** A person sees where the focus is. */
async function expectRing(page: Page): Promise<void> {
  const ring = await page.evaluate(() => {
    const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement ?? document.body);
    return { outlineStyle, boxShadow };
  });
  expect(ring).not.toEqual({ outlineStyle: 'none', boxShadow: 'none' });
}

describeInBrowser('the workbench with the keyboard alone', ({ open }) => {
  test('a person writes as a contact, opens the delivery, redelivers it, and moves the clock', async () => {
    const server = await serveWorkbench({ ...usualSeed, clock: 'frozen' });
    await server.subscribe(await acknowledge());
    const { page } = await open(server.page);
    const deliveries = async () =>
      Object(await server.ask('GET', '/control/deliveries?status=delivered')).data.length;
    const now = async () => Object(await server.ask('GET', '/control/clock')).now;

    await goTo(page, page.getByRole('textbox', { name: 'Write as Ada' }));
    await page.keyboard.type('Where is my order?');
    await page.keyboard.press('Enter');
    await eventually(deliveries).toBe(1);

    const chat = page.getByRole('list', { name: 'Conversation' });
    await goTo(page, chat.getByRole('link', { name: /delivered/ }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    const opened = page.getByRole('region', { name: /^Delivery delivery_/ });
    await goTo(page, opened.getByRole('button', { name: 'Redeliver now' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await eventually(deliveries).toBe(2);

    const before = await now();
    await goTo(page, page.getByRole('button', { name: /advance the clock by one hour/ }), 'Shift+Tab');
    await page.keyboard.press('Space');
    await eventually(now).toBe(before + 3_600_000);

    const rows = page.getByRole('list', { name: /newest first/ }).getByRole('link');
    const current = (index: number) =>
      eventually(() => rows.nth(index).getAttribute('aria-current')).toBe('true');
    await goTo(page, rows.first());
    await page.keyboard.press('Enter');
    await current(0);
    await page.keyboard.press('ArrowDown');
    await current(1);
    await expectFocus(rows.nth(1));
  });

  test('a person reads and acts by the keys of a mail client, and the focus follows', async () => {
    const server = await serveWorkbench({ ...usualSeed, clock: 'frozen' });
    await server.subscribe(await acknowledge());
    await server.receive('first');
    await server.receive('second');
    const { page } = await open(server.page);
    const rows = page.getByRole('list', { name: /newest first/ }).getByRole('link');
    const opened = page.getByRole('region', { name: /^Delivery message\.received/ });
    await rows.first().waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('delivered');
    await eventually(() => rows.count()).toBe(2);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await expectFocus(rows.first());
    await page.keyboard.press('j');
    await expectFocus(rows.nth(1));
    await page.keyboard.press('k');
    await expectFocus(rows.first());
    await opened.waitFor();
    await page.keyboard.press('r');
    await eventually(async () => Object(await server.ask('GET', '/control/deliveries')).data.length).toBe(3);
    await eventually(() => rows.count()).toBe(3);

    await page.keyboard.press('Escape');
    await opened.waitFor({ state: 'detached' });
    await expectFocus(rows.nth(1));
    await page.keyboard.press('k');
    await expectFocus(rows.first());

    await page.keyboard.press('c');
    const composer = page.getByRole('textbox', { name: 'Write as Ada' });
    await expectFocus(composer);
    await page.keyboard.type('r: two');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('lines');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Conversation' }).getByText('r: two\nlines').waitFor();
    expect(await composer.inputValue()).toBe('');
    const messages = Object(await server.ask('GET', '/control/journal?type=message')).data;
    expect(messages.at(-1)).toMatchObject({ body: 'r: two\nlines' });
  });

  test('Ctrl-K finds views, contacts, actions and entries', async () => {
    const contacts = [
      { phone, properties: { firstName: 'Ada' } },
      { phone: '+15557654321', properties: { firstName: 'Grace' } },
    ];
    const server = await serveWorkbench({ ...usualSeed, contacts, clock: 'frozen' });
    await server.receive('Where is my umbrella?');
    const { page } = await open(server.page);
    await page.getByText('live', { exact: true }).waitFor();
    const choices = page.getByRole('listbox', { name: 'Found' }).getByRole('option');
    const choose = async (text: string, found: RegExp) => {
      await page.keyboard.press('Control+k');
      await expectFocus(page.getByRole('combobox', { name: 'Find' }));
      await page.keyboard.type(text);
      await eventually(() => choices.first().innerText()).toMatch(found);
      expect(await choices.first().getAttribute('aria-selected')).toBe('true');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };

    await choose('faults', /View\s+Workspace/);
    await page.getByRole('heading', { name: 'Templates' }).waitFor();
    await choose('grace', /Contact\s+Grace\s+\+15557654321/);
    await page.getByRole('textbox', { name: 'Write as Grace' }).waitFor();
    await choose('by one hour', /Action\s+.*advance the clock by one hour/i);
    await eventually(() => page.getByText('1 h ahead').count()).toBe(1);
    await choose('umbrella', /Entry\s+Ada: “Where is my umbrella/);
    await page.getByRole('region', { name: /^Message/ }).waitFor();

    await page.keyboard.press('Control+k');
    await page.keyboard.type('nothing of this name');
    await page.getByText('Nothing is found.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('region', { name: /^Message/ }).waitFor();
  });

  test('the first stop leads past the bar to the content', async () => {
    const server = await serveWorkbench();
    const { page } = await open(server.page);
    await page.getByText('live', { exact: true }).waitFor();
    await openView(page, '#/workspace');
    await page.getByRole('heading', { name: 'Templates' }).waitFor();
    await goTo(page, page.getByRole('link', { name: 'Skip to the content' }));
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
    expect(page.url()).toContain('#/workspace');
  });
});
