import { type Application, JSX } from 'typedoc';
import { readGuides } from '../guides.js';

/** Opens the sections of the guides in the navigation, until the reader closes one. TypeDoc begins with all of them closed. */
export function openGuidesInNavigation(application: Application): void {
  const keys = [...new Set(readGuides().map(({ section }) => `tsd-accordion-${section}`))];
  const script = `try { for (const key of ${JSON.stringify(keys)}) localStorage[key] ??= 'true'; } catch {}`;
  application.renderer.hooks.on('head.begin', () =>
    JSX.createElement('script', null, JSX.createElement(JSX.Raw, { html: script })),
  );
}
