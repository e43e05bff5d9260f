/**
 * Runs the packed package with each major version of its peers, on the versions of Node.js that those run on: `npm run test:peers`.
 *
 * - `--only msw,undici`: these peers alone.
 *
 * Exits with 1 where anything failed.
 */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { outcomeOf } from '../package/commands.js';
import { repositoryFile } from '../repository.js';
import { installPackedPackage } from '../run/package.js';
import { findPostgres } from '../run/postgres-programs.js';
import { startPostgres } from '../run/postgres-server.js';
import { fetchPackage } from './fetched-package.js';
import { runtimes } from './runtimes.js';

/** A peer of the package, with the versions to try: the oldest of the range, and the newest of each major. */
interface Peer {
  readonly name: string;
  readonly versions: readonly string[];
  /** The arguments of Node.js in a project that has the peer. */
  command(folder: string): readonly string[];
}

const peers: readonly Peer[] = [
  { name: 'msw', versions: ['2.0.0', '2.15.0', '3.0.5'], command: () => ['msw.mjs'] },
  { name: 'undici', versions: ['7.0.0', '8.13.1'], command: () => ['undici.mjs'] },
  {
    name: 'vitest',
    versions: ['3.2.4', '4.1.12', '5.1.2'],
    command: (folder) => [
      join(folder, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config',
      'none.config.mjs',
    ],
  },
  { name: 'graphile-worker', versions: ['0.17.3', '0.18.0'], command: () => ['postgres.mjs'] },
];

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const wanted = values.only?.split(',') ?? peers.map(({ name }) => name);
const unknown = wanted.filter((name) => !peers.some((peer) => peer.name === name));
if (unknown.length > 0) throw new Error(`There is no peer ${unknown.join(', ')}.`);

const found = await findPostgres();
if ('missing' in found) throw new Error(`There is no PostgreSQL: ${found.missing}.`);
const postgres = await startPostgres(found);
const installed = await installPackedPackage();
try {
  for (const peer of peers.filter(({ name }) => wanted.includes(name)))
    for (const version of peer.versions) await tryPeer(peer, version);
} finally {
  await installed.remove();
  await postgres.stop();
}

async function tryPeer(peer: Peer, version: string): Promise<void> {
  const source = await fetchPackage({ package: peer.name, version });
  const folder = await mkdtemp(join(tmpdir(), 'messaging-automation-peer-'));
  await cp(repositoryFile('test/runtimes/peers'), folder, { recursive: true });
  await cp(join(source, 'node_modules'), join(folder, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  const ours = 'node_modules/messaging-automation';
  await cp(join(installed.folder, ours), join(folder, ours), { recursive: true });
  if (peer.name === 'graphile-worker')
    await symlink(repositoryFile('node_modules/pg'), join(folder, 'node_modules/pg')).catch(() => {});
  await writeFile(join(folder, 'none.config.mjs'), 'export default {};\n');
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const { engines = {} } = JSON.parse(
    await readFile(join(folder, 'node_modules', peer.name, 'package.json'), 'utf8'),
  );
  for (const runtime of runtimes.filter(({ name }) => name.startsWith('node-'))) {
    const node = runtime.name.slice('node-'.length);
    const label = `${peer.name} ${version} on Node.js ${node}`;
    if (!runsOn(String(engines.node ?? '*'), Number(node))) {
      say(`${label}: not tried, it needs ${engines.node}`);
      continue;
    }
    const command = runtime.command(await fetchPackage(runtime.source));
    const [program = '', ...first] = command;
    const schema = `peer_${version.replace(/\W/g, '_')}_${node}`;
    const args = [
      ...first,
      ...peer.command(folder),
      ...(peer.name === 'graphile-worker' ? [postgres.url, schema] : []),
    ];
    const { stdout, stderr, ending } = await outcomeOf(program, args, { cwd: folder });
    const isRight = ending === 'ended with exit code 0';
    say(`${label}: ${isRight ? 'passed' : `FAILED (${ending})\n${(stdout + stderr).slice(-2_000)}`}`);
    if (!isRight) process.exitCode = 1;
  }
  await rm(folder, { recursive: true, maxRetries: 10, retryDelay: 100 });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Whether a range of versions of Node.js, such as `^22.12.0 || >=24`, has a major version. */
function runsOn(range: string, node: number): boolean {
  return range.split('||').some((part) => {
    const [, sign = '', major = ''] = /^\s*(\^|>=|>|)\s*v?(\d+|\*)/.exec(part) ?? [];
    if (major === '*') return true;
    return sign.startsWith('>') ? node >= Number(major) : node === Number(major);
  });
}
