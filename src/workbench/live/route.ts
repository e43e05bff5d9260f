import { type ReadonlySignal, signal } from '@preact/signals';

/** The views of the page. */
export const views = ['timeline', 'phone', 'deliveries', 'journeys', 'workspace'] as const;
export type View = (typeof views)[number];

/** The state in the URL: the view, and its selection. It is in the fragment, which the browser does not send to servers. */
export interface Route {
  readonly view: View;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The route of the page, which follows the URL. */
export function followRoute(page: Window): ReadonlySignal<Route> {
  const route = signal(routeIn(page.location.hash));
  page.addEventListener('hashchange', () => {
    route.value = routeIn(page.location.hash);
  });
  return route;
}

/**
 * Replaces the URL by another of the page. The route follows at once, before the next key: a text field that shows a parameter would
 * otherwise lose letters to a render in between.
 */
export function replaceRoute(href: string): void {
  window.history.replaceState(null, '', href);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The URL of a route. Parameters that are empty are left out. */
export function hrefOf(view: View, parameters: Readonly<Record<string, string | undefined>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) search.set(name, value);
  return search.size === 0 ? `#/${view}` : `#/${view}?${search}`;
}

function routeIn(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  const view = views.find((name) => name === path) ?? 'timeline';
  return { view, parameters: Object.fromEntries(new URLSearchParams(search)) };
}
