import { hasMethods } from './options.js';
import { attempt } from './runtime.js';

/**
 * Whether what users' code threw steers the framework around it, and is no failure: it must reach the framework as it is. Next.js marks
 * what `redirect()`, `notFound()`, `cookies()` and `fetch` throw by a `digest`; React suspends by a promise; SvelteKit and React Router
 * redirect by an object with a status and a location.
 */
export function steersFramework(thrown: unknown): boolean {
  return attempt(() => hasMethods('then')(thrown) || hasOwnDigest(thrown) || isRedirect(thrown)) ?? false;
}

/** React gives each error of a server a digest too, a number that steers nothing. */
function hasOwnDigest(thrown: unknown): boolean {
  const digest = fieldOf(thrown, 'digest');
  return typeof digest === 'string' && !/^(\d+(@\w+)?)?$/.test(digest);
}

function isRedirect(thrown: unknown): boolean {
  const status = Number(fieldOf(thrown, 'status'));
  const isError = typeof fieldOf(thrown, 'message') === 'string';
  return !isError && status >= 300 && status < 400 && (hasLocation(thrown) || isResponse(thrown));
}

function hasLocation(thrown: unknown): boolean {
  return typeof fieldOf(thrown, 'location') === 'string';
}

/** Whether it is an HTTP response, which may have come from the network. */
export function isResponse(thrown: unknown): boolean {
  return hasMethods('text')(thrown) && hasMethods('get')(fieldOf(thrown, 'headers'));
}

function fieldOf(thrown: unknown, name: string): unknown {
  return Reflect.get(Object(thrown), name);
}
