import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { temporaryFile } from '../../cli/served.js';
import { missingPostgres, usePostgres } from '../../postgres/support/database.js';
import { serveReplica } from '../../postgres/support/served-replica.js';
import { within } from '../../waiting.js';
import { busyWorkbench } from './busy-workbench.js';
import { describeInBrowser, eventually } from './in-browser.js';
import { key, phone } from './served-workbench.js';

/** The texts of the rows of a list, from the top down. */
async function rowsOf(page: Page, list: RegExp): Promise<readonly string[]> {
  const texts = page.getByRole('list', { name: list }).getByRole('link').allInnerTexts();
  return within(`the rows of ${list}`, texts);
}

describeInBrowser('the workbench of two replicas', ({ open }) => {
  const postgres = usePostgres();

  test.skipIf(missingPostgres)('shows the same stories at each, also while things happen', async () => {
    const store = ['--store', postgres().connectionString, '--store-schema', 'told_twice'];
    const one = await busyWorkbench(...store, '--replica', 'one');
    const seed = await temporaryFile('seed.json', JSON.stringify({ workspaceId: 'acme' }));
    const two = await serveReplica([...store, '--replica', 'two', '--api-key', key, '--seed', seed]);
    const { code } = Object((await two.ask('/workbench/codes', {})).body);
    const { page: atOne } = await open(one.page);
    const { page: atTwo } = await open(`${two.url}/#code=${code}`);
    const stories = (page: Page) => rowsOf(page, /^All entries/);
    await eventually(() => stories(atOne)).not.toEqual([]);
    // The first page may still read what happened, so both are read until they agree.
    const both = async () => (await Promise.all([atOne, atTwo].map(stories))).map((rows) => rows.join('\n'));
    await eventually(async () => new Set(await both()).size).toBe(1);
    const before = await stories(atOne);

    // What begins at one replica, the other continues: the message, its deliveries, and a step of a journey nine days later.
    await two.ask('/control/inbound-messages', { phone, body: 'Who told you?' });
    await one.ask('POST', '/control/clock/advance', { by: '9d' });
    await two.ask('/control/settled', {});
    await eventually(async () => (await stories(atOne)).length).toBeGreaterThan(before.length);
    const after = await stories(atOne);
    expect(after.join()).toContain('Who told you?');
    await eventually(() => stories(atTwo)).toEqual(after);

    for (const page of [atOne, atTwo]) {
      await page.getByRole('link').filter({ hasText: 'Who told you?' }).first().click();
      await page.getByRole('list', { name: 'Story' }).waitFor();
    }
    const told = await rowsOf(atOne, /^Story$/);
    expect(told.length).toBeGreaterThan(2);
    await eventually(() => rowsOf(atTwo, /^Story$/)).toEqual(told);
  });
});
