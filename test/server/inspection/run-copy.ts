import { createReferenceServer } from 'messaging-automation/server';
import { expect } from 'vitest';

type Body = () => Promise<void>;

/** Runs the text of a test in this process, as it is but for its imports. Rejects if it fails. */
export async function runCopy(text: string): Promise<void> {
  const closing: Body[] = [];
  let body: Body = () => Promise.reject(new Error('The text has no test.'));
  const surroundings = {
    createReferenceServer,
    expect,
    onTestFinished: (close: Body) => void closing.push(close),
    test: (_title: string, given: Body) => {
      body = given;
    },
  };
  const program = text.replace(/^import .*\n/gm, '');
  new Function(...Object.keys(surroundings), `'use strict';\n${program}`)(...Object.values(surroundings));
  try {
    await body();
  } finally {
    for (const close of closing) await close();
  }
}

/** Returns whether the text of a test fails in this process. */
export async function copyFails(text: string): Promise<boolean> {
  return runCopy(text).then(
    () => false,
    () => true,
  );
}

/** The steps of a test: what is between the server and the assertions. */
const steps =
  /(?<=\n {2}onTestFinished.*\n\n)(?: {2}.*\n| {4}.*\n|\n(?! {2}(?:const eventId|expect\(+await server\.journal|await server\.contact\(.*receives|\/\/ Left)))*/;

/** A statement that does something whose outcome the test expects. */
const act =
  /^ {2}(?:const \w+ = )?(?:await |expect\(await |await expect\()server\.(?!settled|clock|keys|journal|faults|deliveries|subscriptions\.list|contacts\.read).*?;\n(?= {2}\S|\n|$)/gms;

/** Leaves out the last thing that a test does. */
export function withoutLastAct(text: string): string {
  const [found = ''] = steps.exec(text) ?? [];
  const last = [...found.matchAll(act)].at(-1);
  if (last === undefined) throw new Error(`The test does nothing:\n${text}`);
  const left = found.slice(0, last.index) + found.slice(last.index + last[0].length);
  return text.replace(found, () => left);
}

/** Resets the workspace before the first assertion, so that nothing happened. */
export function withoutAnything(text: string): string {
  return text.replace(
    /(?<=\n\n)(?= {2}(?:const eventId|expect\(+await server\.journal|await server\.contact\(.+\.receives))/,
    '  await server.reset();\n',
  );
}
