import { expect, test } from 'vitest';
import { sourcesIn } from './sources.js';

/** The calls of users' hooks. A hook is what an exported `…Options` has under a name with `on`. */
function hookCallsIn(code: string): readonly string[] {
  const options = code.match(/^export interface \w*Options\b.*?^\}/gms) ?? [];
  const hooks = options.flatMap((each) => each.match(/(?<=\breadonly )on[A-Z]\w*/g) ?? []);
  const calls = code.match(/(notify\(\(\) => )?([\w#.?]+\.)?(?<!#)\bon[A-Z]\w*(\?\.)?\(/g) ?? [];
  return calls.filter((call) => hooks.includes(/on[A-Z]\w*(?=\W*$)/.exec(call)?.[0] ?? ''));
}

/** Whether `notify` stands around a call, so that what the hook throws or rejects with changes nothing. */
const isSafe = (call: string) => call.startsWith('notify(');

test('every hook of the client and the receivers is called by notify', () => {
  const code = ['src/client', 'src/webhooks'].flatMap((folder) => [...sourcesIn(folder).values()]);
  const calls = hookCallsIn(code.join('\n'));

  expect(calls.length).toBeGreaterThan(6);
  expect(calls.filter((call) => !isSafe(call))).toEqual([]);
});
