import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createReferenceServer } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../folder.js';
import { markdownBlocks } from './code-blocks.js';

const guide = 'docs/guides/control-surface.md';
const addressShown = 'http://127.0.0.1:4010';

/** How a block of the guide is run: by which program, what that needs, and what goes before the block's own lines. */
const languages = [
  // Without the function, curl ends well whatever the response is.
  {
    info: 'sh curl',
    program: 'sh',
    needs: 'curl',
    before: 'set -eu\ncurl() { command curl -sSf "$@"; echo; }\n',
  },
  { info: 'python', program: 'python3', needs: 'python3', before: '' },
] as const;

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.emitWarning(`NOT RUN: ${program} cannot be found on this machine`);
    return false;
  }
}

/** Runs a program, as a reader would who pasted it, against a server of its own with the guide's key. */
async function runAgainstServer(program: string, code: string): Promise<string> {
  await using server = createReferenceServer({ apiKey: 'test_key' });
  const { url } = await server.listen();
  const folder = folderWith({ program: code.replaceAll(addressShown, url) });
  const { stdout } = await promisify(execFile)(program, [join(folder, 'program')]);
  return stdout;
}

const blocks = markdownBlocks().filter(({ origin }) => origin.startsWith(guide));

describe.each(languages)('what the guide shows as $info', ({ info, program, needs, before }) => {
  test.runIf(isThere(needs))('runs as it stands', async () => {
    const found = blocks.filter((block) => block.info === info);
    expect(found).toHaveLength(1);
    for (const { code } of found) {
      expect(code).toContain(addressShown);
      const printed = await runAgainstServer(program, before + code);
      if (info === 'sh curl') expect(printed).toContain('{"consent":"opted_out"}');
    }
  });
});
