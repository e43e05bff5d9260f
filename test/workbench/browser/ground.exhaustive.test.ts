import type { Page, Request, Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { startProxy } from '../../cli/proxy.js';
import { busyWorkbench } from './busy-workbench.js';
import { describeInBrowser, eventually, goTo } from './in-browser.js';
import { phone, serveWorkbench, usualSeed } from './served-workbench.js';

/** The place of each control of the header, by its position among them. */
function placesIn(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const controls = document.querySelectorAll('.bar :is(a, button, time), nav.views a');
    return [...controls].map((control) => {
      const { x, y, width, height } = control.getBoundingClientRect();
      return `${control.tagName} ${[x, y, width, height].join(' ')}`;
    });
  });
}

/** The shift of the layout since the page opened, as browsers count it: without what follows a person's own action. And what moved. */
function shiftOf(page: Page): Promise<{ readonly shift: number; readonly moved: readonly string[] }> {
  return page.evaluate(() => ({ shift: Reflect.get(window, 'shift'), moved: Reflect.get(window, 'moved') }));
}

const observeShift = () => {
  Reflect.set(window, 'shift', 0);
  Reflect.set(window, 'moved', []);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (Reflect.get(entry, 'hadRecentInput')) continue;
      Reflect.set(window, 'shift', Reflect.get(window, 'shift') + Reflect.get(entry, 'value'));
      for (const { node } of Reflect.get(entry, 'sources'))
        Reflect.get(window, 'moved').push(
          `${node?.nodeName}.${node?.className}: ${node?.textContent?.slice(0, 60)}`,
        );
    }
  }).observe({ type: 'layout-shift', buffered: true });
};

/** Resolves when the browser has drawn what it has. */
const drawn = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** Watches the requests of a page. The function that it returns gives the URLs of those under way, without the stream, which never ends. */
function watchRequests(page: Page): () => readonly string[] {
  const underWay = new Set<Request>();
  page.on('request', (request) => underWay.add(request));
  page.on('requestfinished', (request) => underWay.delete(request));
  page.on('requestfailed', (request) => underWay.delete(request));
  return () =>
    [...underWay].map((request) => request.url()).filter((url) => !url.includes('/control/stream'));
}

describeInBrowser('the ground of the workbench', ({ open }) => {
  test("the controls of the header keep their places over a day's work", async () => {
    const workspaceId = 'a_workspace_with_a_name_that_is_much_longer_than_the_others';
    const server = await serveWorkbench({ ...usualSeed, workspaceId, now: '2026-03-02T09:00:00Z' });
    const proxy = await startProxy(server);
    const { page, problems } = await open(await server.link(proxy.url));
    problems.expect(/ERR_/);
    await page.getByText('live', { exact: true }).waitFor();
    const bar = page.getByRole('banner');
    await bar.getByText('100 sends left').waitFor();
    const places = await placesIn(page);
    expect(places.length).toBeGreaterThan(12);
    const stays = async (sign: Promise<void>) => {
      await sign;
      expect(await placesIn(page)).toEqual(places);
    };
    const strip = page.getByRole('list', { name: 'What is not normal' });

    await stays(bar.getByRole('link', { name: /^a_workspa/ }).waitFor());
    expect(await bar.getByRole('link', { name: /^a_workspa/ }).getAttribute('title')).toBe(workspaceId);
    await server.ask('POST', '/control/clock/freeze');
    await stays(strip.getByText('the clock is frozen').waitFor());
    await server.subscribe('http://127.0.0.1:9/nobody');
    await server.receive('Hello');
    await stays(bar.getByRole('button', { name: /to next: in/ }).waitFor());
    for (const by of ['1m', '1h', '1d']) {
      await page.getByRole('button', { name: `+${by}` }).click();
      await server.ask('POST', '/control/settled');
    }
    await stays(page.getByRole('link', { name: /^Deliveries 1 failing/ }).waitFor());
    await stays(bar.getByText('ahead').or(bar.getByText('behind')).first().waitFor());
    await server.ask('PUT', '/control/quota', { quota: 0 });
    await stays(strip.getByText('no sends left').waitFor());
    await server.ask('POST', '/control/faults', {
      operation: 'any',
      fault: { kind: 'latency', duration: '1s' },
    });
    await stays(strip.getByText(/^fault: every request/).waitFor());
    for (let sent = 1; sent <= 120; sent += 1) await server.receive(`message ${sent}`);
    await stays(page.getByText('message 120').first().waitFor());
    await page.getByRole('button', { name: 'Record' }).click();
    await stays(strip.getByText(/recording/).waitFor());
    for (const view of ['Deliveries', 'Journeys', 'Workspace', 'Timeline']) {
      await page.locator('nav.views').getByRole('link', { name: view }).click();
      await stays(page.locator(`nav.views a[aria-current]`, { hasText: view }).waitFor());
    }
    proxy.block(true);
    await stays(strip.getByText('Connection lost. The page may be outdated. Reconnecting …').waitFor());
  });

  test.each(['timeline', 'deliveries', 'journeys', 'workspace', 'phone'])(
    'what shows in the view %s stays where it is while the rest arrives',
    async (view) => {
      const server = await busyWorkbench();
      const { page } = await open(await server.link(), {
        prepare: ({ page }) => page.addInitScript(observeShift),
      });
      await page.getByText('live', { exact: true }).waitFor();
      await goTo(page, `#/${view}`);
      const underWay = watchRequests(page);
      await page.reload();
      await page.getByText('live', { exact: true }).waitFor();
      await eventually(underWay).toEqual([]);
      await drawn(page);
      const { shift, moved } = await shiftOf(page);
      expect(shift, moved.join('; ')).toBeLessThanOrEqual(0.02);
    },
  );

  test('the first view loads 45 kB at most, and asks for nothing twice', async () => {
    const server = await busyWorkbench();
    const responses: Response[] = [];
    const { page } = await open(await server.link(), {
      prepare: async ({ page }) => page.on('response', (response) => responses.push(response)),
    });
    await page.getByText('live', { exact: true }).waitFor();
    await page
      .getByRole('link', { name: /order_follow_up|Ada|wrote/ })
      .first()
      .waitFor();
    await page.waitForTimeout(1_000);
    const asked = responses.map((response) => `${response.request().method()} ${response.url()}`);
    expect(asked.filter((one, place) => asked.indexOf(one) !== place)).toEqual([]);
    const files = responses.filter((response) => /\/(?:workbench\/[^/]+\.\w+)?$/.test(response.url()));
    expect(files.length).toBeGreaterThan(3);
    let weight = 0;
    for (const file of files) {
      expect(file.headers()['content-encoding'], file.url()).toBe('gzip');
      weight += (await file.request().sizes()).responseBodySize;
    }
    expect(weight).toBeLessThanOrEqual(45_000);
  });

  test('a part of the page that is gone reloads the page once, and then the page says why', async () => {
    const server = await serveWorkbench();
    const { page, context, problems } = await open(server.page);
    problems.expect(/404|ERR_/);
    await page.getByText('live', { exact: true }).waitFor();
    let gone = 0;
    await context.route('**/workbench/later-parts-*', async (route) => {
      gone += 1;
      if (gone === 1) await route.fulfill({ status: 404, body: '' });
      else await route.continue();
    });
    await page.getByRole('link', { name: 'Journeys' }).click();
    await page.getByRole('heading', { name: 'No journey yet' }).waitFor();
    expect(gone).toBe(2);

    const another = await context.newPage();
    await another.goto(server.url);
    await another.getByText('live', { exact: true }).waitFor();
    await context.unrouteAll();
    await context.route('**/workbench/later-parts-*', (route) => route.fulfill({ status: 404, body: '' }));
    await another.getByRole('link', { name: 'Journeys' }).click();
    await another.getByText('The server does not have this part of the page.').waitFor();
    await another.getByRole('link', { name: 'Timeline', exact: true }).click();
    await another.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
  });

  test('twenty tabs are live, and another one leads when the first is frozen or closed', async () => {
    const server = await serveWorkbench();
    await server.receive('before');
    const { page, context } = await open(server.page);
    await page.getByText('live', { exact: true }).waitFor();
    const others: Page[] = [];
    for (let tab = 2; tab <= 20; tab += 1) {
      const other = await context.newPage();
      await other.goto(server.url);
      await other.getByText('live', { exact: true }).waitFor();
      others.push(other);
    }
    const allShow = async (tabs: readonly Page[], body: string) => {
      await server.receive(body);
      for (const tab of tabs) await tab.getByText(`“${body}”`).first().waitFor();
    };
    await allShow([page, ...others], 'to all');
    for (const tab of others) {
      const status = await tab.evaluate(async () => (await fetch('/health')).status);
      expect(status).toBe(200);
    }
    const session = await context.newCDPSession(page);
    await session.send('Page.setWebLifecycleState', { state: 'frozen' });
    await allShow(others, 'while one is frozen');
    await page.close();
    const [second, ...rest] = others;
    await second?.close();
    await allShow(rest, 'after two are closed');
    await eventually(() => rest[0]?.getByText(phone).count()).toBeGreaterThan(0);
  });
});
