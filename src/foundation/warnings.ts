import { runtimeProcess } from './process.js';

type Words = string | (() => string);

/**
 * Creates a function that warns once per subject, for problems that no handler takes. Where there is a `process`, it
 * emits a process warning, so that the switches of the runtime apply. Pass the words as a function if they are
 * expensive to build: it is called for the first warning only.
 *
 * @param name The name of the warning, which says its kind.
 */
export function createWarnings(name: string): (subject: string, words: Words) => void {
  const warned = new Set<string>();
  return (subject, words) => {
    if (warned.has(subject)) return;
    warned.add(subject);
    warn(typeof words === 'string' ? words : words(), name);
  };
}

function warn(message: string, name: string): void {
  const runtime = runtimeProcess();
  if (typeof runtime?.emitWarning === 'function') runtime.emitWarning(message, name);
  // biome-ignore lint/suspicious/noConsole: the one place to warn at where there is no process.
  else console.warn(message);
}
