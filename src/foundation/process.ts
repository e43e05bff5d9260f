import { isObject } from './is-object.js';

/**
 * The `process` of the runtime, if it has one. Node, Bun and Deno do, browsers do not, and some edge runtimes have only
 * a part of it: check each property. Reflection, because the name `process` does not exist without Node's types.
 */
export function runtimeProcess(): Readonly<Record<string, unknown>> | undefined {
  const runtime: unknown = Reflect.get(globalThis, 'process');
  return isObject(runtime) ? runtime : undefined;
}
