import { type Application, JSX, PageEvent } from 'typedoc';
import { readGuides } from '../guides.js';
import { listOfPages } from './router.js';

/** Opens the sections of the guides in the navigation, until the reader closes one. TypeDoc begins with all of them closed. */
export function openGuidesInNavigation(application: Application): void {
  const keys = [...new Set(readGuides().map(({ section }) => `tsd-accordion-${section}`))];
  const script = `try { for (const key of ${JSON.stringify(keys)}) localStorage[key] ??= 'true'; } catch {}`;
  application.renderer.hooks.on('head.begin', () =>
    JSX.createElement('script', null, JSX.createElement(JSX.Raw, { html: script })),
  );
}

const firstLink = new RegExp(`(<nav class="tsd-navigation"><a href="[^"]*)${listOfPages}"[^>]*>[^<]*</a>`);

/** Makes the first link of the navigation lead home. In TypeDoc it leads to a list of all pages, under the name of the package. */
export function startNavigationAtHome(application: Application): void {
  application.renderer.on(PageEvent.END, (page) => {
    const current = page.url === 'index.html' ? ' class="current"' : '';
    page.contents = (page.contents ?? '').replace(firstLink, `$1index.html"${current}>Home</a>`);
  });
}
