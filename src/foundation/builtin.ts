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
