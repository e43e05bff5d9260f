import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { environment } from '../package/commands.js';
import { repositoryFile } from '../repository.js';
import { within } from '../waiting.js';

/** What Node runs. */
export const built: readonly string[] = [repositoryFile('dist/cli.js')];

/** Why no pseudo-terminal can be had here; `undefined` where one can. */
export const missingTerminal = whyMissing();

/** How long to wait for output of a process, which a busy machine starts slowly. In milliseconds. */
const processLimit = 40_000;

const running = new Set<ChildProcessWithoutNullStreams>();

/** Kills what a test that failed left running. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** How a command is started. */
export interface Start {
  /** Default: the build. */
  readonly program?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** How wide the terminal is. */
  readonly columns?: number;
  /** Where standard error goes, in place of the terminal. */
  readonly errors?: string;
}

/** A command as a process, in a pseudo-terminal or off one, and what it prints. */
export type CommandRun = ReturnType<typeof follow>;

/** Runs a command in a terminal that `script` makes. */
export function runInTerminal(words: readonly string[], start: Start = {}): CommandRun {
  const { program = built, columns = 80, errors } = start;
  const command = [process.execPath, ...program, ...words].map(shellWord).join(' ');
  const elsewhere = errors === undefined ? '' : ` 2>${shellWord(errors)}`;
  const line = `stty rows 24 cols ${columns} && exec ${command}${elsewhere}`;
  return follow(['script', '-qefc', line, '/dev/null'], start, (child) => child.stdin.write('\x03'));
}

/** Runs a command whose output goes into pipes. */
export function runOffTerminal(words: readonly string[], start: Start = {}): CommandRun {
  const { program = built } = start;
  return follow([process.execPath, ...program, ...words], start, (child) => child.kill('SIGINT'));
}

function follow(
  [program = '', ...words]: readonly string[],
  { env = {} }: Start,
  interrupt: (child: ChildProcessWithoutNullStreams) => void,
) {
  const child = spawn(program, words, { env: { ...terminalEnvironment(), ...env } });
  running.add(child);
  const text = { output: '', errors: '' };
  let onPrinted = () => {};
  for (const [name, stream] of [
    ['output', child.stdout],
    ['errors', child.stderr],
  ] as const)
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
      onPrinted();
    });
  const ended = once(child, 'close').then(([code]): number | null => {
    running.delete(child);
    return code;
  });
  return {
    /** Standard output; in a terminal, which does not tell them apart, standard error too. */
    get output() {
      return text.output;
    },
    /** Standard error, off a terminal. */
    get errors() {
      return text.errors;
    },
    /** Resolves once what is printed matches; rejects where the command ends before. */
    printed: (pattern: RegExp) => {
      const matches = new Promise<void>((resolve, reject) => {
        onPrinted = () => {
          if (pattern.test(text.output + text.errors)) resolve();
        };
        onPrinted();
        void ended.then((code) => reject(new Error(`It ended with ${code}:\n${text.output}${text.errors}`)));
      });
      return within(`output like ${pattern}`, matches, () => text.output + text.errors, processLimit);
    },
    /** Types a line. */
    type: (line: string) => void child.stdin.write(`${line}\n`),
    /** Presses Ctrl-C in a terminal; off one, sends what that sends. */
    interrupt: () => interrupt(child),
    /** Resolves with the exit code. */
    ended,
  };
}

/** That of a terminal which shows colours, whatever this run of the tests has. */
function terminalEnvironment(): NodeJS.ProcessEnv {
  const ours = Object.entries(environment()).filter(
    ([name]) => !/^(CI|FORCE_COLOR|NO_COLOR|NODE_DISABLE_COLORS|COLORTERM|WEBHOOK_SECRET)$/.test(name),
  );
  return { ...Object.fromEntries(ours), TERM: 'xterm-256color', MESSAGING_AUTOMATION_API_KEY: 'test_key' };
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The `script` of util-linux makes a terminal without a native module; those of other systems take other words. */
function whyMissing(): string | undefined {
  try {
    const version = execFileSync('script', ['--version'], { encoding: 'utf8', stdio: 'pipe' });
    if (version.includes('util-linux')) return undefined;
  } catch {
    // There is none, or it is another one.
  }
  const why =
    'NOT RUN: the commands in a terminal, because there is no script of util-linux on this machine.';
  process.emitWarning(why);
  return why;
}
