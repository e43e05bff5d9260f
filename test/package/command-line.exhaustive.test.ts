import { execFileSync, spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { notRun, succeeds } from '../run/debian.js';
import { runOffTerminal } from '../terminal/command-run.js';

const hasCurl = await succeeds('curl', '--version');
if (!hasCurl) notRun('the snippet of the ready line', 'curl cannot be found on this machine');

test.runIf(hasCurl)(
  'the built command responds to the snippet of its ready line, pasted into a shell',
  async () => {
    const served = runOffTerminal(['serve', '--port', '0', '--api-key', 'test_key', '--json']);
    onTestFinished(async () => {
      served.interrupt();
      await served.ended;
    });
    await served.printed(/\n/);
    const { snippet } = JSON.parse(served.output.split('\n')[0] ?? '');
    expect(execFileSync('sh', ['-c', `${snippet} -s`], { encoding: 'utf8' })).toContain('"id":"contact_');
  },
);

test.each([
  ['18.20.8', 1],
  ['20.18.3', 1],
  ['20.19.0', 0],
  ['26.0.0', 0],
])('the built command on Node.js %s ends with %i: an older one gets one sentence', (version, code) => {
  const versions = `{ value: { ...process.versions, node: '${version}' } }`;
  const preload = `data:text/javascript,${encodeURIComponent(`Object.defineProperty(process, 'versions', ${versions})`)}`;
  const command = ['--import', preload, repositoryFile('dist/cli.js'), '--version'];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });

  expect(status).toBe(code);
  if (code === 0) expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  else expect(stderr).toBe(`messaging-automation needs Node.js 20.19 or later, and this is ${version}.\n`);
});
