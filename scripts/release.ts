import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packForPublishing } from './published-package.js';

const usage = `Stages the version of package.json on npm, where a person approves it. Run it after the build.

npm run release [-- --dry-run]
`;

/** The first npm that stages. */
const oldestNpm = [11, 15] as const;

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, help: { type: 'boolean' } },
});
if (values.help) process.stdout.write(usage);
else await release(values['dry-run']);

async function release(isTrial: boolean): Promise<void> {
  const { name, version, repository }: Readonly<Record<string, string | undefined>> = JSON.parse(
    await readFile('package.json', 'utf8'),
  );
  if (repository === undefined && !isTrial) {
    throw new Error(
      'package.json names no repository. Run npm pkg set repository=github:OWNER/NAME and commit it: the provenance, and the links of ' +
        'the README on npm, need it.',
    );
  }
  const npm = outputOf('npm', '--version');
  if (isOlder(npm)) {
    throw new Error(
      `npm ${npm} cannot stage a version. Run npm install --global npm@latest: ${oldestNpm.join('.')} or later can.`,
    );
  }
  if (!isTrial && isPublished(`${name}@${version}`)) {
    console.log(`${name} ${version} is published already.`);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'messaging-automation-release-'));
  const { filename } = await packForPublishing('.', folder);
  const words = ['stage', 'publish', join(folder, filename), isTrial ? '--dry-run' : '--provenance'];
  execFileSync('npm', words, { stdio: 'inherit' });
  if (isTrial) return;
  // Its line "New tag" lets the workflow push the tag.
  execFileSync('npx', ['changeset', 'tag'], { stdio: 'inherit' });
  console.log(
    `Staged. A person approves it: npm stage list ${name}, npm stage download ID, npm stage approve ID.`,
  );
}

function outputOf(command: string, ...words: readonly string[]): string {
  return execFileSync(command, words, { encoding: 'utf8' }).trim();
}

function isOlder(npm: string): boolean {
  const [major = 0, minor = 0] = npm.split('.').map(Number);
  return major < oldestNpm[0] || (major === oldestNpm[0] && minor < oldestNpm[1]);
}

function isPublished(version: string): boolean {
  try {
    return outputOf('npm', 'view', version, 'version') !== '';
  } catch (error) {
    // npm has no such version, or no such package yet.
    if (String(Reflect.get(Object(error), 'stderr') ?? '').includes('E404')) return false;
    throw error;
  }
}
