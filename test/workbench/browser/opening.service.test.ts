import { expect, test } from 'vitest';
import { describeInBrowser, eventually } from './in-browser.js';
import { key, serveWorkbench } from './served-workbench.js';

describeInBrowser('how the workbench opens', ({ open }) => {
  test('the link opens the page once, no URL ever has the key, and other tabs of the browser open by themselves', async () => {
    const server = await serveWorkbench();
    const seen: string[] = [];
    const { page, context, problems } = await open(server.page, {
      prepare: async ({ page }) => {
        page.on('request', (request) => seen.push(request.url(), request.headers().referer ?? ''));
        page.on('framenavigated', (frame) => seen.push(frame.url()));
      },
    });
    await page.getByText('live', { exact: true }).waitFor();
    expect(seen.length).toBeGreaterThan(2);
    expect(page.url()).toBe(`${server.url}/`);
    expect(await page.getByRole('link', { name: 'acme' }).isVisible()).toBe(true);
    await page.reload();
    await page.getByText('live', { exact: true }).waitFor();
    expect([page.url(), ...seen].filter((url) => url.includes(key))).toEqual([]);

    const another = await context.newPage();
    await another.goto(`${server.url}/#/journeys`);
    await another.getByRole('heading', { name: 'No journey yet' }).waitFor();

    problems.expect(/401/);
    const stranger = await open(server.page);
    stranger.problems.expect(/401/);
    expect(await stranger.page.getByRole('alert').textContent()).toBe(
      'This link was used before, or the server has restarted.',
    );
    expect(await stranger.page.getByText('live', { exact: true }).count()).toBe(0);
    expect(stranger.page.url()).toBe(`${server.url}/`);
    // In a tab that is open already, the key of the tab counts.
    await another.goto(server.page);
    await another.getByText('live', { exact: true }).waitFor();
  });

  test('a tab opens by itself when another tab tells its key late', async () => {
    const server = await serveWorkbench();
    const { page, context } = await open(server.page, {
      // This tab holds its response back until the test asks for it, as a tab in the background of a busy machine does.
      prepare: ({ page }) =>
        page.addInitScript(() => {
          const { postMessage } = BroadcastChannel.prototype;
          BroadcastChannel.prototype.postMessage = function (message) {
            const tell = () => postMessage.call(this, message);
            if (message === 'which key?') tell();
            else document.addEventListener('response', tell);
          };
        }),
    });
    await page.getByText('live', { exact: true }).waitFor();
    const another = await context.newPage();
    await another.goto(`${server.url}/#/journeys`);
    await another.getByLabel('API key').waitFor();
    await page.evaluate(() => document.dispatchEvent(new Event('response')));
    await another.getByRole('heading', { name: 'No journey yet' }).waitFor();
  });

  test('a wrong key shows the door, and another key goes through it', async () => {
    const server = await serveWorkbench();
    const { page, problems } = await open(server.url);
    problems.expect(/401/);
    await page.getByLabel('API key').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('The API key is not valid.');
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByText('live', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('live', { exact: true }).waitFor();
  });

  test('the name of the workspace leads to what it has, and from there, or by another ready message, to another workspace', async () => {
    const server = await serveWorkbench();
    await server.ask('POST', '/control/workspaces', { workspaceId: 'other', apiKey: 'other_key' });
    const { page, problems } = await open(server.page);
    problems.expect(/403/); // The key of another workspace lists no workspaces.
    await page.getByRole('link', { name: 'acme' }).click();
    await page.getByRole('button', { name: 'Open another workspace …' }).click();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('link', { name: 'acme' }).waitFor();
    await page.getByRole('button', { name: 'Open another workspace …' }).click();
    await page.getByLabel('API key').fill('other_key');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('link', { name: 'other' }).waitFor();
    await page.goto(await server.link());
    await page.getByRole('link', { name: 'acme' }).waitFor();
    await eventually(() => page.url()).toBe(`${server.url}/`);
  });

  test('a key that one tab rotates opens the other tabs, too', async () => {
    const server = await serveWorkbench();
    const { page, context, problems } = await open(server.page);
    problems.expect(/401/);
    await page.getByText('live', { exact: true }).waitFor();
    const another = await context.newPage();
    await another.goto(server.url);
    await another.getByText('live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Workspace' }).click();
    await page.getByRole('button', { name: "Rotate this page's key" }).click();
    await page.getByRole('dialog').getByRole('button', { name: "Rotate this page's key" }).click();
    await page.getByText('Save this key.').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await another.getByText('live', { exact: true }).waitFor();
    await eventually(() => another.getByLabel('API key').count()).toBe(0);
    const status = await another.evaluate(async () => {
      const key = sessionStorage.getItem('messaging-automation.key');
      return (await fetch('/control/clock', { headers: { Authorization: `Bearer ${key}` } })).status;
    });
    expect(status).toBe(200);
  });
});
