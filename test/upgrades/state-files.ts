import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Endpoint } from './endpoint.js';
import { ServedVersion, tryToServe } from './served-version.js';
import type { Story } from './story.js';
import { findWork, leaveWork, seed, untilKept } from './work-in-flight.js';

const kind = 'The state file of serve';

/** `serve --state` of the earlier version is killed amid its work, and this version goes on from its file. */
export const stateFile: Story = async ({ upgrade: { earlier, current, from }, folder, atEnd, note }) => {
  const endpoint = new Endpoint();
  await endpoint.start();
  atEnd(() => endpoint.close());
  const [seedFile, file] = [join(folder, 'seed.json'), join(folder, 'state.json')];
  await writeFile(seedFile, JSON.stringify(seed));

  const before = await ServedVersion.start(earlier, ['--seed', seedFile, '--state', file]);
  atEnd(() => before.end('SIGKILL'));
  note(kind, 'rolling', [
    {
      before: 'a serve of the earlier version that goes on',
      now: await tryToServe(current, folder, ['--state', file]),
      expected:
        'refuses: The state file state.json is in use by another serve. Stop that one, or name another file.',
    },
  ]);

  const left = await leaveWork(before, endpoint);
  await untilKept(file, before);
  await before.end('SIGKILL');
  const lock = `${file}.lock`;
  if (from === '0.1.0') {
    note(kind, 'stopped', [
      {
        before: 'the lock of a serve that was killed',
        now: await tryToServe(current, folder, ['--state', file]),
        expected: 'If you are sure that it has ended, delete state.json.lock.',
      },
    ]);
    await rm(lock);
  }
  endpoint.acknowledgeAll();
  const after = await ServedVersion.start(current, ['--state', file]);
  atEnd(() => after.end('SIGKILL'));
  note(kind, 'stopped', await findWork(current, after, endpoint, left));
  await after.end('SIGTERM');
  note(kind, 'stopped', [
    {
      before: 'state.json',
      now: (await readdir(folder)).filter((name) => name.startsWith('state')).join(', '),
      expected: from === '0.1.0' ? 'state.json, state.json.version-1' : 'state.json',
    },
  ]);
  note(kind, 'downgrade', [
    {
      before: 'state.json as this version wrote it',
      now: await tryToServe(earlier, folder, ['--state', file]),
      expected:
        from === '0.1.0'
          ? 'refuses: The state file state.json cannot be used. The state has version 2'
          : 'serves',
    },
  ]);
};
