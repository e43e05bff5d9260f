import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a process responds: figures by name. */
export type Figures = Readonly<Record<string, number>>;

/** A process of Node that does its part of a measurement, so that none of its time counts as another's. */
export interface OtherProcess extends AsyncDisposable {
  /** What it had to tell when it was ready, such as its port. */
  readonly ready: Figures;
  /** Has it do something, and resolves with what it found. One question at a time. */
  ask(question: string, input?: unknown): Promise<Figures>;
}

/**
 * Starts a program that calls `answerQuestions`.
 *
 * @param options `flags` are Node's own, such as `--expose-gc`; `environment` comes on top of this process's own.
 */
export async function startProcess(
  program: URL,
  {
    argument = '',
    flags = [],
    environment = {},
  }: {
    readonly argument?: string;
    readonly flags?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<OtherProcess> {
  const child = fork(fileURLToPath(program), [argument], {
    execArgv: [...process.execArgv, ...flags],
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const next = async (): Promise<Figures> => {
    const ended = new AbortController();
    try {
      return await Promise.race([
        once(child, 'message', { signal: ended.signal }).then(([message]) => {
          if (typeof message === 'string') throw new Error(message);
          return message;
        }),
        once(child, 'exit', { signal: ended.signal }).then(([code]) => {
          throw new Error(`${fileURLToPath(program)} ended with ${code}.`);
        }),
      ]);
    } finally {
      ended.abort();
    }
  };
  const ready = await next();
  return {
    ready,
    ask(question, input = null) {
      const response = next();
      child.send({ question, input });
      return response;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL'); // some servers take their time to let go of connections
      await exit;
    },
  };
}

// From the start, for a process may be at work for long before it is ready: with nobody left to ask, it ends.
process.on('disconnect', () => process.exit());

/** The other side: tells that the process is ready, and answers what it is asked until it is ended. */
export function answerQuestions(
  ready: Figures,
  responses: Readonly<Record<string, (input: unknown) => Figures | Promise<Figures>>>,
): void {
  process.on('message', async (message) => {
    try {
      if (typeof message !== 'object' || message === null) throw new Error('That is no question.');
      const question = String(Reflect.get(message, 'question'));
      const response = responses[question];
      if (!response) throw new Error(`Nobody can answer ${question}.`);
      process.send?.(await response(Reflect.get(message, 'input')));
    } catch (error) {
      process.send?.(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  });
  process.send?.(ready);
}

/** Microseconds of CPU time that the process has used so far, its garbage collection included. */
export function usedCpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
