import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { busyWorkbench } from './busy-workbench.js';
import { describeInBrowser, eventually, goTo } from './in-browser.js';
import { acknowledge, serveWorkbench, usualSeed } from './served-workbench.js';

/** Finds something with the palette, and goes there. */
async function find(page: Page, text: string, kind: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find' }).fill(text);
  await page.getByRole('option').filter({ hasText: kind }).first().click();
}

describeInBrowser('what the workbench finds', ({ open }) => {
  test('the palette knows what is in the workspace: a journey, a run by its contact, a template, a contact', async () => {
    const server = await busyWorkbench();
    const { page } = await open(server.page);
    await page.getByText('live', { exact: true }).waitFor();
    await find(page, 'Ada: order', 'Run');
    await eventually(() => page.url()).toMatch(/#\/journeys\?run=/);
    await goTo(page, '#/timeline');
    await find(page, 'order_follow', 'Journey');
    await eventually(() => page.url()).toMatch(/#\/journeys$/);
    await find(page, 'order_update', 'Template');
    await eventually(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Edit order_update');
    await find(page, 'Ada', 'Contact');
    await eventually(() => page.url()).toContain('phone=');
  });

  test('the palette leads to each control of each view, and does nothing by itself', async () => {
    const server = await serveWorkbench();
    await server.receive('Hello');
    const { page } = await open(server.page);
    await page.getByText('live', { exact: true }).waitFor();
    const controls = [
      'Record what happens from now on as a test',
      'Properties',
      '+ Add a template',
      '+ Add a fault',
      'Save as seed',
      'Reset',
    ];
    controls.push('Save a snapshot', 'Issue another key', "Rotate this page's key", 'All gaps');
    controls.push('Open another workspace …', 'Create an empty workspace');
    for (const name of controls) {
      await goTo(page, name === controls[0] ? '#/workspace' : '#/journeys');
      await page.locator('nav.views a[aria-current]').waitFor();
      await find(page, name, name);
      await eventually(() =>
        page.evaluate(() => {
          const { title, innerText } = Object(document.activeElement);
          return title || innerText;
        }),
      ).toBe(name);
    }
    expect(await server.list('/control/workspaces')).toHaveLength(1);
  });

  test('the key ? shows the keys, and Escape closes them', async () => {
    const server = await serveWorkbench();
    const { page } = await open(server.page);
    await page.getByText('live', { exact: true }).waitFor();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('redeliver').waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'hidden' });
  });

  test('deliveries are found by state, event and receiver, each with its count', async () => {
    const server = await serveWorkbench({ ...usualSeed, clock: 'frozen' });
    await server.subscribe(await acknowledge());
    const failing = await server.subscribe('http://127.0.0.1:9/nobody');
    await server.receive('START');
    await server.receive('Hello');
    await server.ask('POST', '/control/settled');
    const { page } = await open(server.page);
    await page.getByRole('link', { name: 'Deliveries' }).click();
    const filters = page.getByRole('group', { name: 'Filters of deliveries' });
    const rows = page.getByRole('list', { name: 'Deliveries, newest first' }).getByRole('listitem');
    const states = () => filters.getByRole('button').allTextContents();
    await eventually(states).toEqual(['all 6', 'delivered 3', 'pending 3', 'failed 0', 'cancelled 0']);
    await filters.getByRole('button', { name: 'pending' }).click();
    await eventually(() => rows.count()).toBe(3);
    await filters.getByLabel('Event of the deliveries').selectOption('contact.opted_in · 1');
    await eventually(() => rows.count()).toBe(1);
    expect(await states()).toEqual(['all 2', 'delivered 1', 'pending 1', 'failed 0', 'cancelled 0']);
    await filters.getByLabel('Event of the deliveries').selectOption('any event · 3');
    await filters.getByRole('button', { name: 'all' }).click();
    await page.getByRole('link', { name: '127.0.0.1:9/nobody' }).click();
    await eventually(() => rows.count()).toBe(3);
    await server.ask('DELETE', `/api/v1/webhooks/${failing.id}`);
    await eventually(async () => (await states()).at(-1)).toBe('cancelled 3');
    await filters.getByRole('button', { name: 'cancelled' }).click();
    await page.reload();
    await eventually(() => rows.count()).toBe(3);
    await rows.first().getByRole('link').click();
    await page.getByText('cancelled', { exact: true }).first().waitFor();
  });
});
