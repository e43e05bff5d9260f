import { runtimeProcess } from './process.js';

type Words = string | (() => string);

/**
 * Gives what warns, under a name that tells the kind of warning, when nobody else wants to be told: once per subject, so
 * that it is seen and does not flood. Where there is a process it is the process that warns, so that the runtime's own
 * switches silence and trace it. Words that cost much to find are given as a function, which is called for the first
 * warning only.
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
