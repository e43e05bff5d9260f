import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, eventually, goTo as openView } from './in-browser.js';
import { acknowledge, serveWorkbench, usualSeed } from './served-workbench.js';

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
    const opened = page.getByRole('region', { name: /^Delivery message\.received/ });
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
