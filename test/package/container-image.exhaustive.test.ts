import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { environment } from './commands.js';
import { testProject } from './project.js';

const installed = testProject();
const dockerfile = readFileSync(repositoryFile('examples/shared-service/Dockerfile'), 'utf8');

/** The words of an instruction in its JSON form. */
function words(instruction: RegExp): readonly string[] {
  return JSON.parse(instruction.exec(dockerfile)?.[1] ?? 'null');
}

test('the start and the health check of the image work where the package is installed', async () => {
  const [node = '', ...entry] = words(/^ENTRYPOINT (\[.*\])$/m);
  const command = words(/^CMD (\[.*\])$/m);
  const [checker, ...check] = words(/^HEALTHCHECK [\s\S]*?CMD (\[.*\])$/m);
  expect([node, checker]).toEqual(['node', 'node']);

  const { folder: cwd } = installed();
  const env = environment();
  const server = spawn(process.execPath, [...entry, ...command, '--port', '0', '--json'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    const { port } = new URL(JSON.parse(line).url);
    const healthOf = (at: string) =>
      promisify(execFile)(
        process.execPath,
        check.map((word) => word.replace(':4010/', `:${at}/`)),
        { cwd, env },
      );
    await healthOf(port);
    server.kill('SIGTERM'); // as a container engine stops it
    expect(await once(server, 'exit')).toEqual([0, null]);
    await expect(healthOf(port)).rejects.toThrow();
  } finally {
    server.kill('SIGKILL');
  }
});
