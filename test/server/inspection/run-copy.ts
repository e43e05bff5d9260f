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

/** A statement of the test that does something which it expects to have happened. */
const act =
  /^ {2}(?:const \w+ = )?(?:await |expect\(await |await expect\()server\.(?!settled|clock|keys|journal|faults|deliveries|subscriptions\.list|contacts\.read).*?;\n(?= {2}\S|\n)/gms;

/** Leaves the last thing out that a test does. Undefined if it does nothing. */
export function withoutLastAct(text: string): string | undefined {
  const [steps = ''] =
    /\n {2}onTestFinished.*?\n\n(?= {2}(?:const eventId|expect\(+await server\.journal|await server\.contact\(.*receives|\/\/ Left))/s.exec(
      text,
    ) ?? [];
  const last = [...steps.matchAll(act)].at(-1)?.[0];
  return last === undefined
    ? undefined
    : text.replace(
        steps,
        () => steps.slice(0, steps.lastIndexOf(last)) + steps.slice(steps.lastIndexOf(last) + last.length),
      );
}
