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
