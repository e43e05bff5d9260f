import type { WorkspaceSeed } from 'messaging-automation/server';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startListener } from '../../server/support/listener.js';
import { describeInBrowser, eventually } from './in-browser.js';
import { acknowledge, type ServedWorkbench, serveWorkbench } from './served-workbench.js';

const names = ['Ada', 'Linus', 'Zoë', 'עדה', '👩‍👩‍👧'];
const phoneOf = (index: number) => `+1555123450${index}`;

/** Five contacts and a journey of nine days. Linus has no plan, and the order of Zoë has no nickname. */
const seed: WorkspaceSeed = {
  workspaceId: 'shop',
  quota: 100,
  clock: 'frozen',
  now: '2026-11-25T06:57:54Z',
  templates: ['order_update', 'how_was_it', 'come_back'].map((id) => ({ id, body: `${id} for {{1}}` })),
  contacts: names.map((firstName, index) => {
    return { phone: phoneOf(index), properties: { firstName, ...(index !== 1 && { plan: 'pro' }) } };
  }),
  journeys: [
    {
      id: 'follow_up',
      event: 'order_placed',
      steps: [
        { send: 'order_update', variables: { 1: { contact: 'firstName' } } },
        { wait: '2d' },
        {
          branch: { property: 'plan', exists: true },
          do: [{ send: 'how_was_it', variables: { 1: { contact: 'firstName' } } }],
        },
        { wait: '7d' },
        { send: 'come_back', variables: { 1: { event: 'nickname' } } },
      ],
    },
  ],
};

async function ordered(): Promise<ServedWorkbench> {
  const server = await serveWorkbench(seed);
  for (const [index, nickname] of names.entries()) {
    const properties = index === 2 ? {} : { nickname };
    await server.ask('POST', '/api/v1/events', { event: 'order_placed', phone: phoneOf(index), properties });
  }
  await server.ask('POST', '/control/settled');
  return server;
}

async function advance(server: ServedWorkbench, by: string): Promise<void> {
  await server.ask('POST', '/control/clock/advance', { by });
  await server.ask('POST', '/control/settled');
}

function rowsIn(page: Page): Locator {
  return page.getByRole('list', { name: 'All entries, newest first' }).getByRole('link');
}

/** The rows as a person reads them, without their times and initials. */
async function textsIn(rows: Locator): Promise<readonly string[]> {
  const texts = await rows.allInnerTexts();
  return texts.map((text) =>
    text
      .replace(/\s+/g, ' ')
      .replace(/^\S+ /, '')
      .replace(/^\S+ (?=\S+: )/, ''),
  );
}

describeInBrowser('the stories of the timeline', ({ open }) => {
  test('a run of nine days is one row, with its newest step, and then with its end', async () => {
    const server = await ordered();
    const { page } = await open(server.page);
    const rows = () => textsIn(rowsIn(page));
    await eventually(async () => (await rows()).length).toBe(5);
    expect((await rows()).at(-1)).toBe(
      'Ada: order_placed → order_update sent “order_update for Ada” POST /v1/events until Fri 27 Nov 06:57',
    );

    await advance(server, '2d');
    await eventually(async () => (await rows()).at(-1)).toContain('→ how_was_it sent');
    expect((await rows()).filter((text) => text.startsWith('Linus: '))).toEqual([
      expect.stringMatching(/how_was_it not sent if plan is set: no .*until Fri 4 Dec 06:57$/),
    ]);
    expect(await rows()).toHaveLength(5);

    await advance(server, '7d');
    await eventually(async () => (await rows()).at(-1)).toMatch(/^Ada: .*→ come_back sent .*finished$/);
    const [failed, ...others] = (await rows()).filter((text) => text.endsWith('failed'));
    expect(failed).toMatch(/^Zoë: order_placed → follow_up failed .*"nickname"/);
    expect(others).toEqual([]);
    expect((await rows()).join()).not.toContain('until');
  });

  test('what one contact was sent on a day, and why another was not, is two clicks', async () => {
    const server = await ordered();
    await advance(server, '2d');
    await advance(server, '7d');
    const { page } = await open(server.page);
    const story = page.getByRole('list', { name: 'Story' });
    await rowsIn(page).filter({ hasText: 'Ada' }).click();
    await story.getByText('2 d later · Fri 27 Nov', { exact: true }).waitFor();
    await eventually(() => textsIn(story.getByRole('link'))).toContain(
      'how_was_it “how_was_it for Ada” sent',
    );
    await rowsIn(page).filter({ hasText: 'Linus' }).click();
    await eventually(() => textsIn(story.getByRole('link'))).toContain(
      'if plan is set: no how_was_it not sent',
    );
    expect(await rowsIn(page).count()).toBe(5);
  });

  test('everything of a contact is found by the name, in any case and without its accents', async () => {
    const server = await ordered();
    await server.receive('Hello', phoneOf(2));
    const { page } = await open(server.page);
    await eventually(() => rowsIn(page).count()).toBe(6);
    const found = page.getByRole('list', { name: 'Matching entries, newest first' }).getByRole('link');
    const all = (await server.list('/control/journal')).length;
    for (const text of ['ZOE', 'zoë', phoneOf(2)]) {
      await page.getByLabel('Text in the entries').fill(text);
      await eventually(() => found.count()).toBeLessThan(all);
      const kinds = new Set(
        await found.getByRole('img').evaluateAll((icons) => icons.map((icon) => icon.ariaLabel)),
      );
      expect([...kinds].sort(), text).toEqual(['Event', 'Journey', 'Message', 'Request', 'Send']);
      for (const row of await textsIn(found)) expect(row).toContain('Zoë: ');
    }
  });

  test('the next step of an open story moves nothing that a person reads', async () => {
    const server = await ordered();
    const { page } = await open(server.page);
    await rowsIn(page).filter({ hasText: 'Ada' }).click();
    const read = page.getByRole('heading', { name: 'Template' });
    await read.waitFor();
    const before = await read.boundingBox();
    await advance(server, '2d');
    await page.getByRole('list', { name: 'Story' }).getByText('how_was_it', { exact: true }).waitFor();
    await eventually(async () => (await read.boundingBox())?.y).toBe(before?.y);
  });

  test('a person who has scrolled keeps the place, also when a row that shows goes to the top', async () => {
    const server = await serveWorkbench(seed);
    const receive = async (from: number, to: number) => {
      for (let sent = from; sent <= to; sent += 1) await server.receive(`message ${sent}`, phoneOf(0));
    };
    await receive(1, 20);
    await server.ask('POST', '/api/v1/events', { event: 'order_placed', phone: phoneOf(0) });
    await receive(21, 40);
    const { page } = await open(server.page);
    const list = page.getByRole('list', { name: 'All entries, newest first' });
    await page.getByText('“message 40”').waitFor();
    await list.hover();
    await page.mouse.wheel(0, 900);
    const read = list.getByRole('listitem').filter({ hasText: '“message 18”' });
    await read.waitFor();
    const moved = list.getByRole('listitem').filter({ hasText: 'order_placed' });
    await eventually(() => moved.count()).toBe(1);
    const before = await read.boundingBox();
    await advance(server, '2d');
    await server.receive('message 41', phoneOf(0));
    await eventually(() => moved.count()).toBe(0);
    await eventually(() => list.getByRole('listitem').first().getAttribute('aria-setsize')).toBe('42');
    // One row above went to the top, and one came.
    await eventually(async () => (await read.boundingBox())?.y).toBe(before?.y);
  });

  test('every initial can be read, in each color and both schemes', async () => {
    const contacts = Array.from({ length: 36 }, (_, index) => ({ phone: `+155512345${10 + index}` }));
    const server = await serveWorkbench({ ...seed, contacts });
    for (const { phone } of contacts) await server.receive('Hello', phone);
    const { page } = await open(server.page, { viewport: { width: 1280, height: 2400 } });
    await eventually(() => page.locator('.entry .initial').count()).toBe(36);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const ratios = await page.locator('.entry .initial').evaluateAll((initials) => {
        const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        const luminance = (color: string) => {
          canvas?.clearRect(0, 0, 1, 1);
          if (canvas) canvas.fillStyle = color;
          canvas?.fillRect(0, 0, 1, 1);
          const [red = 0, green = 0, blue = 0] = [...(canvas?.getImageData(0, 0, 1, 1).data ?? [])].map(
            (part) => {
              const value = part / 255;
              return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
            },
          );
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        return initials.map((initial) => {
          const { color, backgroundColor } = getComputedStyle(initial);
          const [one, other] = [luminance(color) + 0.05, luminance(backgroundColor) + 0.05];
          return { backgroundColor, ratio: Math.max(one, other) / Math.min(one, other) };
        });
      });
      expect(new Set(ratios.map(({ backgroundColor }) => backgroundColor)).size).toBe(12);
      expect(Math.min(...ratios.map(({ ratio }) => ratio)), colorScheme).toBeGreaterThan(4.5);
    }
  });
});

describeInBrowser('one truth for each thing', ({ open }) => {
  const hello = { phone: phoneOf(0), body: 'Hello' };

  test('a delivery whose subscription was deleted is cancelled on every view', async () => {
    const server = await serveWorkbench(seed);
    const { id } = await server.subscribe(
      await startListener((_, response) => response.writeHead(500).end()),
    );
    await server.ask('POST', '/control/inbound-messages', hello);
    await server.ask('GET', '/control/journal?type=attempt&wait=10s');
    const { page } = await open(server.page);
    await rowsIn(page).filter({ hasText: 'retry in' }).waitFor();
    await server.ask('DELETE', `/control/subscriptions/${id}`);
    await rowsIn(page).filter({ hasText: 'cancelled' }).click();
    await page.getByRole('list', { name: 'Conversation' }).getByText('cancelled').waitFor();
    await page.getByRole('link', { name: 'message.received' }).click();
    await page.getByText('delivering …').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Deliveries' }).first().click();
    await page.getByRole('list', { name: 'Deliveries, newest first' }).getByText('cancelled').click();
    await page.getByText('delivering …').waitFor({ state: 'detached' });
  });

  test('a fault that injects nothing more is gone from the strip', async () => {
    const server = await serveWorkbench(seed);
    const fault = { kind: 'status', status: 503 };
    for (const often of [{ times: 1 }, { nth: 1 }, {}])
      await server.ask('POST', '/control/faults', { operation: 'templates.list', fault, ...often });
    const { page } = await open(server.page);
    const strip = page.getByRole('list', { name: 'What is not normal' }).getByText('fault:');
    await eventually(() => strip.count()).toBe(3);
    for (let sent = 0; sent < 2; sent += 1) await server.status('GET', '/api/v1/templates');
    await eventually(() => strip.count()).toBe(1);
  });

  test('after a retry of all, every place says that nothing fails', async () => {
    let status = 500;
    const server = await serveWorkbench(seed);
    await server.subscribe(await startListener((_, response) => response.writeHead(status).end()));
    await server.ask('POST', '/control/inbound-messages', hello);
    await server.ask('GET', '/control/journal?type=attempt&wait=10s');
    for (const by of ['10s', '60s']) await advance(server, by);
    const { page } = await open(server.page);
    await page.getByText('1 failing').waitFor();
    status = 204;
    await page.getByRole('link', { name: 'Deliveries' }).first().click();
    await page.getByText('1 failed').first().waitFor();
    await page.getByRole('button', { name: 'Retry the failed delivery' }).click();
    await page.getByText('1 failing').waitFor({ state: 'detached' });
    await page.getByText(', 1 failed').waitFor({ state: 'detached' });
    await eventually(() => page.title()).not.toContain('failing');
    await page.getByRole('link', { name: 'Timeline' }).first().click();
    await rowsIn(page)
      .filter({ hasText: /failed 3 times, sent again .*, delivered/ })
      .waitFor();
  });

  test('each attempt opens itself, and a delivery that was retried is one row', async () => {
    let status = 500;
    const server = await serveWorkbench(seed);
    await server.subscribe(await startListener((_, response) => response.writeHead(status).end()));
    await server.ask('POST', '/control/inbound-messages', hello);
    await server.ask('GET', '/control/journal?type=attempt&wait=10s');
    status = 204;
    await advance(server, '1h');
    const { page } = await open(server.page);
    await rowsIn(page)
      .filter({ hasText: /failed, retried .*, delivered/ })
      .click();
    const attempts = page
      .getByRole('list', { name: 'Story' })
      .getByRole('link', { name: /message\.received/ });
    for (const [index, word] of ['1 · 500', '2 · 204'].entries()) {
      await attempts.nth(index).click();
      await eventually(() => page.locator('details.attempt[open] summary b').allInnerTexts()).toEqual([word]);
    }
  });

  test('right-to-left text keeps its beginning, and a joined emoji stays whole', async () => {
    const text = `שלום ${'ועוד מילה '.repeat(40)}`;
    const server = await serveWorkbench(seed);
    await server.receive(text, phoneOf(3));
    await server.receive('👩‍👩‍👧 👩‍👩‍👧', phoneOf(4));
    const { page } = await open(server.page);
    await rowsIn(page).filter({ hasText: '“👩‍👩‍👧 👩‍👩‍👧”' }).waitFor();
    const row = rowsIn(page).filter({ hasText: 'שלום' });
    const isInView = await row.evaluate((element) => {
      const part = [...element.querySelectorAll('bdi')].find(({ textContent }) =>
        textContent?.includes('שלום'),
      );
      const range = document.createRange();
      const [words] = part?.childNodes ?? [];
      if (part === undefined || words === undefined) return false;
      range.setStart(words, 0);
      range.setEnd(words, 3);
      const [box, beginning] = [part.getBoundingClientRect(), range.getBoundingClientRect()];
      return beginning.left >= box.left - 1 && beginning.right <= box.right + 1;
    });
    expect(isInView).toBe(true);
    expect(await page.locator('.initial').filter({ hasText: '👩‍👩‍👧' }).count()).toBeGreaterThan(0);
  });

  test('the chat counts where a message arrived, and the picker all contacts', async () => {
    const contacts = Array.from({ length: 2_000 }, (_, index) => ({ phone: `+1555${1_000_000 + index}` }));
    const server = await serveWorkbench({ ...seed, contacts });
    for (let index = 0; index < 4; index += 1) await server.subscribe(await acknowledge());
    for (let index = 0; index < 2; index += 1)
      await server.subscribe(await startListener((_, response) => response.writeHead(500).end()));
    await server.receive('Hello', contacts[0]?.phone);
    await eventually(async () => (await server.list('/control/journal?type=attempt')).length).toBe(6);
    const { page } = await open(server.page);
    await page.getByRole('list', { name: 'Conversation' }).getByText('4 of 6 delivered').waitFor();
    await page.getByRole('button', { name: 'all contacts' }).click();
    await page.getByText('1,940 more', { exact: true }).waitFor();
  });
});
