/**
 * Lets earlier versions of the package leave their data with work in flight, lets this version go on with it, and prints what was in flight
 * and where it is now: `npm run test:upgrades`.
 *
 * - `--only state-file,keys-redis`: these stories alone.
 * - `--from 0.2.0`: from this version alone.
 * - `--quick`: without the databases of 0.1.0, which take a third of the time.
 * - `--json`: the rows as JSON.
 *
 * Exits with 1 if something is not where it should be. Needs `npm run build:code`.
 */
import { parseArgs } from 'node:util';
import { checkpoints } from './checkpoints.js';
import { earlierVersions, missingCommits } from './earlier-package.js';
import { keptByTests } from './failed-tests.js';
import { keysInThePostgres, keysInTheRedis } from './keys.js';
import { receiversWithPostgres, receiversWithRedis } from './receivers.js';
import { rollingReplicas } from './rolling-replicas.js';
import { stateFile } from './state-files.js';
import { stoppedReplicas } from './stopped-replicas.js';
import type { Story } from './story.js';
import { isAsExpected, tableLines } from './table.js';
import { tellStories } from './telling.js';

const stories: Readonly<Record<string, Story>> = {
  'state-file': stateFile,
  'database-stopped': stoppedReplicas,
  'database-rolling': rollingReplicas,
  'kept-by-tests': keptByTests,
  checkpoints,
  'keys-redis': keysInTheRedis,
  'keys-postgres': keysInThePostgres,
  'receivers-redis': receiversWithRedis,
  'receivers-postgres': receiversWithPostgres,
};

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    from: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const names = values.only?.split(',') ?? Object.keys(stories);
const wanted = Object.entries(stories).filter(([name]) => names.includes(name));
const versions = earlierVersions.filter((version) => values.from === undefined || values.from === version);
if (wanted.length < names.length) throw new TypeError(`--only takes ${Object.keys(stories).join(', ')}.`);
if (versions.length === 0) throw new TypeError(`--from takes ${earlierVersions.join(' or ')}.`);

const missing = await missingCommits();
if (missing !== undefined) throw new Error(missing);
const toTell = versions
  .flatMap((from) => wanted.map(([name, story]) => ({ name, from, story })))
  .filter(({ name, from }) => !values.quick || from !== '0.1.0' || !name.startsWith('database'));
const rows = await tellStories(toTell, (progress) => process.stderr.write(`${progress}\n`));
const wrong = rows.filter((row) => !isAsExpected(row)).length;
const lines = values.json ? [JSON.stringify(rows, undefined, 2)] : tableLines(rows);
process.stdout.write(`${lines.join('\n')}\n`);
process.stderr.write(`${rows.length - wrong} of ${rows.length} are where they should be.\n`);
// What was cut off from its store, as if its process had died, goes on trying in this one.
process.exit(wrong === 0 ? 0 : 1);
