import { isObject } from './is-object.js';

/**
 * The process that this runs in, as far as the runtime has one: Node, Bun and Deno do, browsers do not, and some edge
 * runtimes have half of one. Nothing on it is to be relied on unseen. Read by reflection, since without Node's types
 * there is no `process` to name.
 */
export function runtimeProcess(): Readonly<Record<string, unknown>> | undefined {
  const runtime: unknown = Reflect.get(globalThis, 'process');
  return isObject(runtime) ? runtime : undefined;
}
