/** What is used of the runtime's `process`, where there is one. */
interface Runtime {
  readonly getBuiltinModule?: (id: string) => unknown;
}

/**
 * A module of Node's own, or `undefined` where the runtime has none of that name. Asked of the process at the time of
 * use, not imported: so the files that use it load in a browser or on an edge runtime, and a bundler finds nothing to
 * polyfill.
 */
export function builtinModule(id: `node:${string}`): unknown {
  // Read by reflection: without Node's types there is no `process` to name.
  const runtime: Runtime | undefined = Reflect.get(globalThis, 'process');
  return runtime?.getBuiltinModule?.(id);
}
