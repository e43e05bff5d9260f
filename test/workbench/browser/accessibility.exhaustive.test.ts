import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { repositoryFile } from '../../repository.js';
import { busyWorkbench } from './busy-workbench.js';
import { describeInBrowser, excessOf, goTo } from './in-browser.js';
import { serveWorkbench } from './served-workbench.js';

const axe = await readFile(repositoryFile('node_modules/axe-core/axe.min.js'), 'utf8');

/** What axe-core has against the page as it stands, light and dark, with the elements that it means. */
async function violationsIn(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const all = await violationsOf(page, '{}');
  await page.emulateMedia({ colorScheme: 'dark' });
  // Colours alone change.
  return [...all, ...(await violationsOf(page, '{ runOnly: ["color-contrast"] }'))];
}

async function violationsOf(page: Page, options: string): Promise<readonly string[]> {
  const { violations } = await page.evaluate<{
    violations: readonly {
      id: string;
      help: string;
      nodes: readonly { target: unknown[]; failureSummary: string }[];
    }[];
  }>(`axe.run(document, ${options})`);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary}`),
  );
}

describeInBrowser('whether everybody can use the workbench', ({ open }) => {
  test.each([1280, 380])('every view in a window of %i pixels', async (width) => {
    const server = await busyWorkbench();
    const { page } = await open(server.page, {
      viewport: { width, height: 800 },
      prepare: ({ page }) => page.addInitScript(axe),
    });
    const found: string[] = [];
    const look = async (name: string, sign: Locator) => {
      await sign.first().waitFor();
      found.push(...(await violationsIn(page)).map((violation) => `${name}: ${violation}`));
      const excess = await excessOf(page);
      if (excess > 0) found.push(`${name}: the page is ${excess} pixels wider than the window`);
    };
    await page.getByText('live', { exact: true }).waitFor();
    await look('timeline', page.getByRole('region', { name: 'Timeline' }));
    const entries = await server.entries();
    // One change stands for all.
    const firstChange = entries.find(({ type }) => type === 'change');
    for (const { number, type } of entries.filter((each) => each.type !== 'change' || each === firstChange)) {
      await goTo(page, `#/timeline?entry=${number}`);
      await look(type, page.getByText(`entry ${number}`));
    }
    await goTo(page, `#/deliveries?delivery=${await server.failedDelivery()}`);
    await look('deliveries', page.getByRole('group', { name: 'Why the delivery failed' }));
    await goTo(page, '#/phone');
    for (const panel of ['Chat', 'Properties', 'Event', 'Template']) {
      await page.getByRole('button', { name: panel, exact: true }).click();
      await look(`phone, ${panel}`, page.getByRole('button', { name: panel, pressed: true }));
    }
    await page.getByRole('button', { name: 'all contacts' }).click();
    await look('phone, all contacts', page.getByRole('list', { name: 'Contacts' }));
    await page.keyboard.press('Control+k');
    await look('palette', page.getByRole('option'));
    await page.keyboard.press('Escape');
    await goTo(page, '#/journeys');
    await look('journeys', page.getByRole('list', { name: /^Runs of order_follow_up/ }));
    await goTo(page, '#/workspace');
    await page.getByText('+ Add a template').click();
    await page.getByText('+ Add a fault').click();
    await look('workspace', page.getByRole('form', { name: 'Add a fault' }));
    expect(found).toEqual([]);
  });

  test.each([1280, 380])('the door and the first steps in a window of %i pixels', async (width) => {
    const server = await serveWorkbench({ workspaceId: 'empty' });
    const { page } = await open(server.url, {
      viewport: { width, height: 800 },
      prepare: ({ page }) => page.addInitScript(axe),
    });
    await page.getByLabel('API key').waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await page.getByLabel('API key').fill('test_key');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
    expect(await violationsIn(page)).toEqual([]);
  });
});
