import type { BrowserContext, Page } from 'playwright-core';

/** What goes wrong in a page without the test asking: errors, refusals by the content security policy, dialogs. */
export class Problems {
  readonly #found: string[] = [];
  readonly #expected: RegExp[] = [];

  /** Watches all pages of a context that show a site. */
  constructor(context: BrowserContext, origin: () => string) {
    context.on('page', (page) => this.#watch(page));
    context.on('weberror', (error) => this.note(`error: ${error.error().stack ?? error.error().message}`));
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.note(`console: ${message.text()}`);
    });
    context.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin !== origin()) this.note(`request to another origin: ${url.href.slice(0, 200)}`);
    });
  }

  /** Takes a problem for what the test brings about. */
  expect(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  note(problem: string): void {
    this.#found.push(problem);
  }

  get unexpected(): readonly string[] {
    return this.#found.filter((problem) => !this.#expected.some((pattern) => pattern.test(problem)));
  }

  #watch(page: Page): void {
    page.on('crash', () => this.note('the page crashed'));
    page.on('dialog', async (dialog) => {
      this.note(`dialog: ${dialog.message()}`);
      await dialog.dismiss();
    });
  }
}
