import { expect } from 'vitest';

/** What a test replaces or changes at times, and what the tests of other files use in the same process. */
const shared = () => ({
  setTimeout,
  clearTimeout,
  setInterval,
  setImmediate,
  Date,
  fetch,
  process,
  crypto,
  Buffer,
  emitWarning: process.emitWarning,
  workingDirectory: process.cwd(),
});

/** What the first file of this worker found, and the file before this one. */
const worker: { found?: object; fileBefore?: string | undefined } =
  Reflect.get(globalThis, Symbol.for('leaves-no-trace')) ?? {};
Reflect.set(globalThis, Symbol.for('leaves-no-trace'), worker);

// The files of a worker share its globals: a fake timer that one leaves behind stops the tests of the next. Looked at when the
// next file begins, because Vitest restores mocks between two files.
const { found = shared(), fileBefore } = worker;
const changed = Object.entries(shared()).filter(
  ([name, value]) => !Object.is(Reflect.get(found, name), value),
);
if (changed.length > 0) {
  for (const [name] of changed) Reflect.set(globalThis, name, Reflect.get(found, name));
  throw new Error(
    `${fileBefore} changed ${changed.map(([name]) => name).join(', ')}, and did not restore it.`,
  );
}
worker.found = found;
worker.fileBefore = expect.getState().testPath;
