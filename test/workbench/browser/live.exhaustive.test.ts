import { createReferenceServer } from 'messaging-automation/server';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { startProxy } from '../../cli/proxy.js';
import { describeInBrowser, eventually } from './in-browser.js';
import { key, phone, serveWorkbench, usualSeed } from './served-workbench.js';

const lost = 'Connection lost. The page may be outdated. Reconnecting …';

/** The messages of the timeline, from the top down. */
async function messagesIn(page: Page): Promise<readonly string[]> {
  const rows = page.getByRole('list', { name: /newest first/ }).getByRole('listitem');
  return (await rows.allTextContents()).flatMap((text) => /“(.*)”/.exec(text)?.[1] ?? []);
}

/** The elements of the page. */
function elementsIn(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll('*').length);
}

describeInBrowser('whether the workbench is live', ({ open }) => {
  test('a lost connection is said, and what happened meanwhile comes once and in order', async () => {
    const server = await serveWorkbench();
    const proxy = await startProxy(server);
    const { page, problems } = await open(await server.link(proxy.url));
    problems.expect(/ERR_/); // The browser logs each request that fails.
    await server.receive('one');
    await eventually(() => messagesIn(page)).toEqual(['one']);

    proxy.block(true);
    await page.getByText(lost).waitFor();
    for (const body of ['two', 'three', 'four']) await server.receive(body);
    expect(await messagesIn(page)).toEqual(['one']);

    proxy.block(false);
    await page.getByText('live', { exact: true }).waitFor();
    await eventually(() => messagesIn(page)).toEqual(['four', 'three', 'two', 'one']);
    await server.receive('five');
    await eventually(() => messagesIn(page)).toEqual(['five', 'four', 'three', 'two', 'one']);
  });

  test('after a restart a note says that the timeline began anew, until a person closes it', async () => {
    const first = await serveWorkbench();
    const proxy = await startProxy(first);
    const { page, problems } = await open(await first.link(proxy.url));
    problems.expect(/ERR_/); // The browser logs each request that fails.
    await first.receive('before the restart');
    await eventually(() => messagesIn(page)).toEqual(['before the restart']);
    const note = page.getByText('the server has restarted, and the timeline starts again');
    expect(await note.count()).toBe(0);

    const second = await serveWorkbench();
    proxy.lead(second.url);
    proxy.cut();
    await note.waitFor();
    await second.receive('after the restart');
    await eventually(() => messagesIn(page)).toEqual(['after the restart']);
    await page.getByRole('button', { name: 'Close the note of the restart' }).click();
    await note.waitFor({ state: 'detached' });
    proxy.cut();
    await second.receive('after a lost connection');
    await eventually(() => messagesIn(page)).toEqual(['after a lost connection', 'after the restart']);
    expect(await note.count()).toBe(0);
  });

  test('the chat shows the newest message with what became of it, and keeps the place of a person who reads', async () => {
    const server = await serveWorkbench();
    for (let sent = 1; sent <= 20; sent += 1) await server.receive(`message ${sent}`);
    const { page } = await open(server.page, { viewport: { width: 380, height: 640 } });
    await page.getByRole('link', { name: 'Phone' }).click();
    const chat = page.getByRole('group', { name: 'Chat' });
    const end = async () => {
      const [box, last] = [await chat.boundingBox(), await chat.getByRole('listitem').last().boundingBox()];
      return box !== null && last !== null && last.y + last.height <= box.y + box.height;
    };
    await chat.getByText('message 20', { exact: true }).waitFor();
    await eventually(end).toBe(true);
    await server.receive('message 21');
    await chat.getByText('message 21', { exact: true }).waitFor();
    await eventually(end).toBe(true);

    await chat.hover();
    await page.mouse.wheel(0, -400);
    await eventually(end).toBe(false);
    const read = chat.getByText('message 12', { exact: true });
    const before = await read.boundingBox();
    expect(before).not.toBeNull();
    await server.receive('message 22');
    await chat.getByText('message 22', { exact: true }).waitFor();
    // Half a pixel is rounding.
    expect((await read.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, -1);
  });

  test('with 10,000 entries and 500 more, the page stays small, and a person keeps their place', async () => {
    const server = createReferenceServer({ ...usualSeed, apiKey: key, workbench: true });
    onTestFinished(() => server.close());
    const { url } = await server.listen({ port: 0 });
    const receive = async (count: number, name: string) => {
      for (let sent = 1; sent <= count; sent += 1)
        await server.simulate.inboundMessage({ phone, body: `${name} ${sent}` });
    };
    await receive(10_000, 'old');
    const { page } = await open(url);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByText('10,000', { exact: true }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByText('old 10000”').first().waitFor();
    expect(await elementsIn(page)).toBeLessThan(2_500);

    const list = page.getByRole('list', { name: 'All entries, newest first' });
    await list.hover();
    await page.mouse.wheel(0, 100_000);
    const read = list.getByRole('listitem').filter({ hasText: '“old 8000”' });
    await read.waitFor();
    const before = await read.boundingBox();
    expect(before).not.toBeNull();
    await receive(500, 'new');
    await page.getByText('10,500', { exact: true }).waitFor();
    await eventually(async () => (await read.boundingBox())?.y).toBe(before?.y);
    expect(await elementsIn(page)).toBeLessThan(2_500);

    await page.getByRole('button', { name: 'Jump to newest' }).click();
    await eventually(async () => (await messagesIn(page))[0]).toBe('new 500');
    expect(await elementsIn(page)).toBeLessThan(2_500);
  });
});
