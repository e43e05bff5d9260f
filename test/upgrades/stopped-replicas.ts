import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Endpoint } from './endpoint.js';
import { ServedVersion, tryToServe } from './served-version.js';
import type { Story } from './story.js';
import { findWork, leaveWork, seed } from './work-in-flight.js';

const kind = 'A shared database';

/**
 * A replica of the earlier version is killed amid its work, so that it keeps its lease and its jobs. Then two replicas of this version
 * start at once: one updates the schema, and the other waits.
 */
export const stoppedReplicas: Story = async ({
  upgrade: { earlier, current },
  folder,
  databaseUrl,
  atEnd,
  note,
}) => {
  const endpoint = new Endpoint();
  await endpoint.start();
  atEnd(() => endpoint.close());
  const seedFile = join(folder, 'seed.json');
  await writeFile(seedFile, JSON.stringify(seed));
  const words = ['--seed', seedFile, '--store', databaseUrl];

  const before = await ServedVersion.start(earlier, words);
  atEnd(() => before.end('SIGKILL'));
  const left = await leaveWork(before, endpoint);
  await before.end('SIGKILL');

  endpoint.acknowledgeAll();
  const [one, other] = await Promise.all([
    ServedVersion.start(current, words),
    ServedVersion.start(current, words),
  ]);
  atEnd(() => Promise.all([one.end('SIGKILL'), other.end('SIGKILL')]));
  note(kind, 'stopped', await findWork(current, one, endpoint, left));
  await Promise.all([one.end('SIGTERM'), other.end('SIGTERM')]);
  note(kind, 'downgrade', [
    {
      before: 'the database after the update',
      now: await tryToServe(earlier, folder, words),
      expected: 'refuses: Cannot use the database',
    },
  ]);
};
