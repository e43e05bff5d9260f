import { readFile, writeFile } from 'node:fs/promises';

/**
 * Writes files that are made from others and committed; with `--check` on the command line it
 * writes nothing and fails where one is stale.
 */
export async function writeGenerated(
  files: Readonly<Record<string, string>>,
  command: string,
): Promise<void> {
  const checking = process.argv.includes('--check');
  for (const [path, text] of Object.entries(files)) {
    const current = await readFile(path, 'utf8').catch(() => undefined);
    if (current === text) {
      process.stdout.write(`${path} is up to date\n`);
    } else if (checking) {
      process.stderr.write(`${path} is stale; run \`${command}\` and commit what it writes\n`);
      process.exitCode = 1;
    } else {
      await writeFile(path, text);
      process.stdout.write(`${path} written\n`);
    }
  }
}
