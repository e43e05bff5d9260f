import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a program in a folder and gives what it printed; fails with all of its output where it fails. */
export async function run(folder: string, program: string, ...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await execute(program, args, { cwd: folder, env: environment() });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
  }
}

/** The environment as a shell has it: without what `npm test` tells its scripts of this repository. */
export function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(npm_(?!config_cache)|MESSAGING_AUTOMATION_|VITEST|NODE_OPTIONS|NODE_V8_COVERAGE)/.test(name),
    ),
  );
}
