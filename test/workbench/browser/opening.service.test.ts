import { expect, test } from 'vitest';
import { describeInBrowser, eventually } from './in-browser.js';
import { key, serveWorkbench } from './served-workbench.js';

describeInBrowser('how the workbench opens', ({ open }) => {
  test('the key of the fragment opens the page, leaves the URL, and stays for the tab', async () => {
    const server = await serveWorkbench();
    const asked: string[] = [];
    const { page } = await open(server.page, {
      prepare: async ({ page }) => void page.on('request', (request) => asked.push(request.url())),
    });
    await page.getByText('live', { exact: true }).waitFor();
    expect(asked.length).toBeGreaterThan(2);
    expect(page.url()).toBe(`${server.url}/`);
    expect(await page.getByRole('button', { name: 'acme' }).isVisible()).toBe(true);

    await page.reload();
    await page.getByText('live', { exact: true }).waitFor();
    expect([page.url(), ...asked].filter((url) => url.includes(key))).toEqual([]);

    const stranger = await open(server.url);
    await stranger.page.getByLabel('API key').waitFor();
    expect(await stranger.page.getByText('live', { exact: true }).count()).toBe(0);
  });

  test('a wrong key shows the door, and another key goes through it', async () => {
    const server = await serveWorkbench();
    const { page, problems } = await open(`${server.url}/#key=wrong`);
    problems.expect(/401/);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toBe(
      'No workspace has this key. It was rotated, or the server restarted.',
    );
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByText('live', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('live', { exact: true }).waitFor();
  });

  test('the name of the workspace, and another ready message, lead to another workspace', async () => {
    const server = await serveWorkbench();
    await server.ask('POST', '/control/workspaces', { workspaceId: 'other', apiKey: 'other_key' });
    const { page } = await open(server.page);
    await page.getByRole('button', { name: 'acme' }).click();
    await page.getByLabel('API key').fill('other_key');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('button', { name: 'other' }).waitFor();
    await page.goto(server.page);
    await page.getByRole('button', { name: 'acme' }).waitFor();
    await eventually(() => page.url()).toBe(`${server.url}/`);
  });
});
