import { isObject } from './is-object.js';

/**
 * The `process` of the runtime, if it has one. Node, Bun and Deno do, browsers do not, and some edge runtimes have only
 * a part of it: check each property. Reflection, because the name `process` does not exist without Node's types.
 */
export function runtimeProcess(): Readonly<Record<string, unknown>> | undefined {
  const runtime: unknown = Reflect.get(globalThis, 'process');
  return isObject(runtime) ? runtime : undefined;
}

/** The part of `process` that this file uses. */
interface Runtime {
  readonly getBuiltinModule?: <Module>(id: string) => Module | undefined;
}

/**
 * A builtin module of Node, or `undefined` where the runtime has none of that name. It is looked up at run time and not
 * imported, so that this package loads in browsers and on edge runtimes, and bundlers add no polyfill.
 */
export function builtinModule<Module = unknown>(id: `node:${string}`): Module | undefined {
  // Reflection, because the name `process` does not exist without Node's types.
  const runtime: Runtime | undefined = Reflect.get(globalThis, 'process');
  return runtime?.getBuiltinModule?.<Module>(id);
}

/** How many subjects of one kind are warned of, because a subject may come from outside. */
const mostWarnings = 1_000;

/**
 * Creates a function that warns once per subject, for problems that no handler takes. Where there is a `process`, it
 * emits a process warning, so that the switches of the runtime apply.
 *
 * @param name The name of the warning, which says its kind.
 */
export function createWarnings(name: string): (subject: string, message: string) => void {
  const warned = new Set<string>();
  return (subject, message) => {
    if (warned.has(subject) || warned.size === mostWarnings) return;
    warned.add(subject);
    warn(message, name);
  };
}

function warn(message: string, name: string): void {
  const runtime = runtimeProcess();
  if (typeof runtime?.emitWarning === 'function') runtime.emitWarning(message, name);
  // biome-ignore lint/suspicious/noConsole: the one place to warn at where there is no process.
  else console.warn(message);
}
