import { execFile, type SpawnOptions, spawn } from 'node:child_process';
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

/** Runs a program to its end, however it ends, and gives what it printed. */
export function outcomeOf(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptions, 'stdio'>,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly ending: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        printed[stream] += text;
      });
    }
    child.on('error', (error) => resolve({ ...printed, ending: String(error) }));
    child.on('close', (code, signal) =>
      resolve({ ...printed, ending: signal ? `ended by ${signal}` : `ended with exit code ${code}` }),
    );
  });
}
