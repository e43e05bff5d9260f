import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { notRun } from '../../run/debian.js';
import { shared } from '../../run/shared.js';
import { within } from '../../waiting.js';
import { Problems } from './problems.js';

const found = await shared('chromium');
await shared('build'); // with the files of the page

/** How long a condition may take to come true on a busy machine. In milliseconds. */
export const patience = 20_000;

/** What the tests of a file have of the browser. */
export interface InBrowser {
  /** Opens a URL in a context of its own, which ends with the test. The test fails for each unexpected problem. */
  open(url: string, options?: OpenOptions): Promise<Opened>;
}

export interface OpenOptions extends BrowserContextOptions {
  /** What happens before the page opens. */
  readonly prepare?: (opened: Opened) => Promise<unknown> | undefined;
}

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly problems: Problems;
}

/** Tests in a real browser, which the run shares. Where there is none, the run says so. */
export function describeInBrowser(name: string, tests: (inBrowser: InBrowser) => void): void {
  const suffix = 'missing' in found ? notRun(`the browser tests of ${name}`, found.missing) : '';
  describe.runIf('address' in found)(`${name}${suffix}`, () => {
    let browser: Browser;

    beforeAll(async () => {
      if ('missing' in found) return;
      browser = await chromium.connect(found.address);
    });

    afterAll(() => browser?.close());

    tests({ open: (url, options) => openIn(browser, url, options) });
  });
}

async function openIn(
  browser: Browser,
  url: string,
  { prepare, ...options }: OpenOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(patience);
  const problems = new Problems(context, () => new URL(url).origin);
  onTestFinished(async () => {
    await context.close();
    expect(problems.unexpected).toEqual([]);
  });
  const opened = { page: await context.newPage(), context, problems };
  await prepare?.(opened);
  await opened.page.goto(url);
  return opened;
}

/** Opens a view or an entry by the fragment of its URL. */
export function goTo(page: Page, fragment: string): Promise<void> {
  return page.evaluate((hash) => {
    window.location.hash = hash;
  }, fragment);
}

/** By how many pixels the page is wider than its window. */
export function excessOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

/** Waits until something of the page or the server is as it shall be. A reading that does not come counts as a failure. */
export function eventually<Value>(read: () => Value | Promise<Value>) {
  const bounded = () => within('a reading of the page or the server', Promise.resolve(read()));
  return expect.poll(bounded, { timeout: patience, interval: 50 });
}
