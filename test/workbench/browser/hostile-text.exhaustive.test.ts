import { json } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startListener } from '../../server/support/listener.js';
import { describeInBrowser, excessOf, goTo } from './in-browser.js';
import { type ServedWorkbench, serveWorkbench } from './served-workbench.js';

const markup = [
  `<img src=x onerror="globalThis.fooled = 'image'">`,
  `<script>globalThis.fooled = 'script'</script>`,
  `"'></title></textarea></pre><svg onload="globalThis.fooled = 'svg'">`,
].join('');
const url = `javascript:globalThis.fooled='url'`;
const texts = [
  markup,
  url,
  [
    '\u202E a right-to-left override \u2066',
    '\u001b[31man escape of a terminal\u001b[0m \u001b]8;;https://example.com\u0007link\u001b]8;;\u0007',
    '{{constructor.constructor("globalThis.fooled = 1")()}}',
  ].join(' '),
];
const long = 'word'.repeat(25_000);
/** The text as the page shows it. */
const seen = (text: string) =>
  text
    .replaceAll('\u202E', '[U+202E]')
    .replaceAll('\u2066', '[U+2066]')
    .replaceAll('\u001b', '[U+001B]')
    .replaceAll('\u0007', '[U+0007]');
const phoneOf = (index: number) => `+1555000${String(index).padStart(4, '0')}`;

/** A workspace in which every text that somebody else can choose is hostile. */
async function hostileWorkbench(): Promise<ServedWorkbench> {
  const all = [...texts, long];
  const server = await serveWorkbench({
    workspaceId: markup,
    quota: 1_000,
    templates: all.map((text, index) => ({
      id: text.slice(0, 200),
      name: text,
      body: `${text} {{1}} ${index}`,
    })),
    contacts: all.map((text, index) => ({
      phone: phoneOf(index),
      properties: { firstName: text, [text.slice(0, 60)]: [text] },
    })),
    segments: texts.map((text) => ({ id: text, event: text, atLeast: 1, within: '30d' })),
    journeys: texts.map((text) => ({
      id: text,
      event: text,
      steps: [{ send: text, variables: { 1: text } }, { wait: '1h' }, { send: text, variables: { 1: 'x' } }],
    })),
  });
  const endpoint = await startListener(async (request, response) => {
    const { data } = Object(await json(request));
    response.writeHead(400, { 'Content-Type': 'text/html' }).end(String(data.body));
  });
  await server.subscribe(`${endpoint}/${encodeURIComponent(markup)}?q=${encodeURIComponent(url)}`);
  for (const [index, text] of texts.entries()) {
    await server.ask('POST', '/api/v1/events', {
      phone: phoneOf(index),
      event: text,
      properties: { [text]: text },
    });
    await server.status('POST', '/api/v1/contacts', { phone: text, [text]: 1 });
    await server.status('GET', `/api/v1/contacts/${encodeURIComponent(text)}`);
    await server.receive(text, phoneOf(index));
  }
  await server.receive(long, phoneOf(texts.length));
  await server.ask('POST', '/control/settled');
  return server;
}

/** What the page made of texts that is more than text. */
function madeOfText(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const made = [
      ...document.querySelectorAll(
        'img, iframe, object, embed, base, script:not([src]), [onload], [onerror]',
      ),
    ];
    const links = [...document.querySelectorAll('[href], [src], [action]')].filter((element) =>
      ['href', 'src', 'action'].some((name) => {
        const value = element.getAttribute(name);
        return value !== null && !/^[#/]/.test(value);
      }),
    );
    const fooled = Reflect.get(globalThis, 'fooled');
    return [
      ...[...made, ...links].map(({ outerHTML }) => outerHTML),
      ...(fooled === undefined ? [] : [fooled]),
    ];
  });
}

describeInBrowser('what hostile text does to the workbench', ({ open }) => {
  test('nothing: it is text in every view', async () => {
    const server = await hostileWorkbench();
    const { page } = await open(server.page, { viewport: { width: 380, height: 800 } });
    const found: string[] = [];
    const look = async (fragment: string, sign: () => Promise<unknown>) => {
      await goTo(page, fragment);
      await sign();
      found.push(...(await madeOfText(page)).map((made) => `${fragment}: ${made.slice(0, 300)}`));
      const excess = await excessOf(page);
      if (excess > 0) found.push(`${fragment}: ${excess} pixels too wide`);
    };
    await page.getByTitle(markup).waitFor();
    const { data } = Object(await server.ask('GET', '/control/journal'));
    for (const { number } of data) {
      await look(`#/timeline?entry=${number}`, () =>
        page.getByText(`entry ${number}`, { exact: false }).first().waitFor(),
      );
    }
    for (const [index, text] of texts.entries()) {
      await look(`#/phone?phone=${encodeURIComponent(phoneOf(index))}`, () =>
        page
          .getByRole('list', { name: 'Conversation' })
          .locator('.wrote p')
          .getByText(seen(text), { exact: true })
          .waitFor(),
      );
      for (const panel of ['Properties', 'Event', 'Template', 'Chat'])
        await look(`#/phone?phone=${encodeURIComponent(phoneOf(index))}&panel=${panel}`, () =>
          page.getByRole('button', { name: panel }).click(),
        );
    }
    await look(`#/phone?phone=${encodeURIComponent(phoneOf(texts.length))}`, () =>
      page
        .getByText(`${long.slice(0, 20_000)}… 100,000 characters in all`, { exact: true })
        .first()
        .waitFor(),
    );
    const deliveries = Object(await server.ask('GET', '/control/deliveries')).data;
    for (const { id } of deliveries)
      await look(`#/deliveries?delivery=${id}`, () =>
        page.getByRole('group', { name: 'Why the delivery failed' }).waitFor(),
      );
    for (const view of ['journeys', 'workspace'])
      await look(`#/${view}`, () => page.getByText(markup, { exact: true }).first().waitFor());
    await look(`#/timeline?${new URLSearchParams({ text: markup, contact: url })}`, () =>
      page.getByText('No entry matches the filter.').waitFor(),
    );
    await look(`#/deliveries?${new URLSearchParams({ subscription: markup, delivery: url })}`, () =>
      page.getByText('No delivery matches.').waitFor(),
    );
    expect(found).toEqual([]);
  });

  test('a route of hostile parameters opens, and its links stay on the page', async () => {
    const server = await serveWorkbench();
    const { page, problems } = await open(server.page);
    problems.expect(/404/); // Nobody has such a phone.
    await page.getByText('live', { exact: true }).waitFor();
    for (const route of [
      'javascript:globalThis.fooled=1',
      '__proto__?a=b',
      'phone?phone=javascript:alert(1)',
    ]) {
      await goTo(page, `#/${route}`);
      expect(await madeOfText(page)).toEqual([]);
    }
  });
});
