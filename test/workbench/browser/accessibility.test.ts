import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { repositoryFile } from '../../repository.js';
import { busyWorkbench } from './busy-workbench.js';
import { describeInBrowser } from './in-browser.js';
import { serveWorkbench } from './served-workbench.js';

const axe = await readFile(repositoryFile('node_modules/axe-core/axe.min.js'), 'utf8');

/** What axe-core has against the page as it stands, with the elements that it means. */
async function violationsIn(page: Page): Promise<readonly string[]> {
  const { violations } = await page.evaluate<{
    violations: readonly {
      id: string;
      help: string;
      nodes: readonly { target: unknown[]; failureSummary: string }[];
    }[];
  }>('axe.run(document, { resultTypes: ["violations"] })');
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary}`),
  );
}

const looks = [
  ['light, wide', 'light', 1280],
  ['dark, wide', 'dark', 1280],
  ['light, narrow', 'light', 380],
  ['dark, narrow', 'dark', 380],
] as const;

describeInBrowser('whether everybody can use the workbench', ({ open }) => {
  test.each(looks)('%s', async (_, colorScheme, width) => {
    const server = await busyWorkbench();
    const { page } = await open(server.page, {
      colorScheme,
      viewport: { width, height: 800 },
      prepare: ({ page }) => page.addInitScript(axe),
    });
    const found: string[] = [];
    const look = async (name: string, fragment: string, sign: () => Promise<unknown>) => {
      await page.evaluate((hash) => {
        window.location.hash = hash;
      }, fragment);
      await sign();
      found.push(...(await violationsIn(page)).map((violation) => `${name}: ${violation}`));
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (excess > 0) found.push(`${name}: the page is ${excess} pixels wider than the window`);
    };
    const heading = (name: string | RegExp) => () => page.getByRole('heading', { name }).first().waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await look('timeline', '#/timeline', () => page.getByRole('region', { name: 'Timeline' }).waitFor());
    for (const { number, type } of await server.entries()) {
      await look(type, `#/timeline?entry=${number}`, () =>
        page.getByRole('heading', { name: 'Take it away' }).waitFor(),
      );
    }
    await look('deliveries', `#/deliveries?delivery=${await server.failedDelivery()}`, heading('Attempts'));
    await look('phone', '#/phone', () => page.getByRole('main', { name: 'Phone' }).waitFor());
    await look('journeys', '#/journeys', () => page.getByRole('main').waitFor());
    await look('workspace', '#/workspace', () => page.getByRole('main').waitFor());
    expect(found).toEqual([]);
  });

  test.each(looks)('the door and the first steps: %s', async (_, colorScheme, width) => {
    const server = await serveWorkbench({ workspaceId: 'empty' });
    const { page } = await open(server.url, {
      colorScheme,
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
