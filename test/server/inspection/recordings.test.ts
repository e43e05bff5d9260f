import { expect, test } from 'vitest';
import { runCopy, withoutLastAct } from './run-copy.js';
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
  const planted = withoutLastAct(text);
  if (planted === undefined) throw new Error(`no last act: ${text}`);
  const failure = await runCopy(planted).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure === undefined) (await import('node:fs')).writeFileSync(`/tmp/rec-${number}.ts`, planted);
  expect(failure).toBeDefined();
});
