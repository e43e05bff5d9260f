import { execFileSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { notRun, succeeds } from '../run/debian.js';
import { runOffTerminal } from '../terminal/command-run.js';

const hasCurl = await succeeds('curl', '--version');
if (!hasCurl) notRun('the snippet of the ready line', 'curl cannot be found on this machine');

test.runIf(hasCurl)(
  'the built command answers the snippet of its ready line, pasted into a shell',
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
