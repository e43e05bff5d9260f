import { signal } from '@preact/signals';

/** The views of the page, with what each contains. */
export const views = {
  timeline: 'all that happened',
  phone: 'the chat and the data of a contact',
  deliveries: 'webhooks, their receivers and attempts',
  journeys: 'their steps, and who waits where',
  workspace: 'templates, faults, quota, keys, segments, snapshots',
} as const;

export type View = keyof typeof views;

export const viewNames = Object.keys(views).filter(isView);

function isView(name: string): name is View {
  return Object.hasOwn(views, name);
}

/** The words on the link to a view. */
export function labelOf(view: View): string {
  return view.charAt(0).toUpperCase() + view.slice(1);
}

/** The state in the URL: the view, and its selection. It is in the fragment, which the browser does not send to servers. */
export interface Route {
  readonly view: View;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The route of the page, which follows the URL. */
export const route = signal(routeIn(location.hash));

window.addEventListener('hashchange', () => {
  route.value = routeIn(location.hash);
});

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

/** The URL that shows a contact on the phone: next to the view if the screen is wide enough, otherwise as the view. */
export function hrefOfPhone(phone: string): string {
  const { view, parameters } = route.value;
  const isBeside = matchMedia('(min-width: 1021px)').matches;
  return isBeside ? hrefOf(view, { ...parameters, phone }) : hrefOf('phone', { phone });
}

function routeIn(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  return {
    view: isView(path) ? path : 'timeline',
    parameters: Object.fromEntries(new URLSearchParams(search)),
  };
}
