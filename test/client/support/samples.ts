import type { FetchFunction } from 'messaging-automation';

export const apiKey = 'canary_key_Zq7';
export const phone = '+442071838750';
export const send = { phone, templateId: 'order_update' };
export const contact = { id: 'c1', properties: { phone } };
/** For a client whose requests go to a function of the test. */
export const unserved = { baseUrl: 'https://a.test/api' };

/** What a program without types may pass. */
export function untyped<T>(value: unknown): T {
  return value as T;
}

/** The `fetch` of another package, as the client takes it, with more options of its own. */
export function asFetch(other: unknown, more: object = {}): FetchFunction {
  if (typeof other !== 'function') throw new TypeError('It is no function.');
  return (url, init) => Reflect.apply(other, undefined, [url, { ...init, ...more }]);
}
