import { expect, test } from 'vitest';
import { runCopy } from './run-copy.js';
import { sessionOf } from './sessions.js';

const numbers = (process.env.SESSIONS ?? '1,2').split(',').map(Number);

test.each(numbers)('the recording of session %i passes', async (number) => {
  const { server, since, done } = await sessionOf(number);
  const text = await server.journal.testSince(since);
  try {
    await runCopy(text);
    if (/Left out|no time/.test(text)) throw new Error('left out');
  } catch (error) {
    (await import('node:fs')).writeFileSync(
      `/tmp/rec-${number}.ts`,
      `${text}\n/*${done}\n${String(Object(error).message)}*/\n`,
    );
    throw error;
  }
  expect(1).toBe(1);
});
