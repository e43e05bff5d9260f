import { expect, test } from 'vitest';
import { type DescribedProcess, npmLaunchers } from '../../src/cli/terminal/npm-launcher.js';

const npm = { parent: 10, command: 'npm exec messaging-automation serve' };
const shell = { parent: 20, command: "sh -c 'messaging-automation' serve" };
const none = undefined;

test.each<[string, string | undefined, DescribedProcess | undefined, DescribedProcess | undefined, number[]]>(
  [
    ['npx, by a shell that waits', "'messaging-automation'", shell, npm, [30, 20]],
    ['npx, by a shell that became the command', "'messaging-automation'", { ...npm, parent: 20 }, none, [30]],
    ['npx, by a path', '"/app/node_modules/.bin/messaging-automation"', shell, npm, [30, 20]],
    [
      'npm run',
      'messaging-automation serve --port 4010',
      shell,
      { ...npm, command: 'npm run api' },
      [30, 20],
    ],
    [
      'a package manager without a title',
      'messaging-automation serve',
      shell,
      { ...npm, command: 'node pnpm' },
      [30],
    ],
    ['a system that describes no processes', "'messaging-automation'", none, none, [30]],
    ['a service, a container, nohup or & without npm', undefined, shell, npm, []],
    ['npm test, whose test starts it', 'vitest run', shell, npm, []],
    ['npx -c with &', 'messaging-automation serve & wait-on tcp:4010', shell, npm, []],
    ['npm run with a shell that goes on after it', 'messaging-automation serve; echo done', shell, npm, []],
    ['npm run with setsid', 'setsid messaging-automation serve', shell, npm, []],
  ],
)('started by %s', (_, script, parent, grandparent, launchers) => {
  const processes = new Map([
    [30, parent],
    [20, grandparent],
  ]);
  const env = { npm_lifecycle_script: script };

  expect(npmLaunchers(env, 30, (pid) => processes.get(pid))).toEqual(launchers);
});
