// One run of the campaign, in a process of its own: `tsx campaign-process.ts <options as JSON>`. It prints each item that was not
// sent, and its summary, as lines of JSON. SIGTERM aborts it.
import { type Clock, MessagingAutomation } from 'messaging-automation';
import { fileCheckpoint } from 'messaging-automation/bulk';
import { sends } from './support.js';

export interface RunOptions {
  readonly baseUrl: string;
  readonly file: string;
  readonly items: number;
  /** The time at which it starts. */
  readonly start: number;
  /** A wait of at least so many milliseconds does not end. */
  readonly longestWait: number;
  readonly retryRejected: boolean;
}

const options: RunOptions = JSON.parse(process.argv[2] ?? '');
const interruption = new AbortController();
process.on('SIGTERM', () => interruption.abort());

let now = options.start;
/** Each wait is over at once, and the time moved by as much. The deadlines of calls, 30 seconds, never come. */
const clock: Clock = {
  now: () => now,
  setTimer(callback, delay) {
    if (delay === 30_000) return () => {};
    if (delay >= options.longestWait) {
      const held = setTimeout(() => {}, 2 ** 31 - 1); // keeps the process alive, as a timer of the machine would
      return () => clearTimeout(held);
    }
    const timer = setImmediate(() => {
      now += delay;
      callback();
    });
    return () => clearImmediate(timer);
  },
};

const messaging = new MessagingAutomation({
  apiKey: 'key',
  baseUrl: options.baseUrl,
  clock,
  middleware: [
    (request, next) =>
      next({
        ...request,
        headers: {
          ...request.headers,
          'x-time': String(clock.now()),
          'x-aborted': String(interruption.signal.aborted),
        },
      }),
  ],
});

const run = messaging.transactional.sendEach(sends(options.items, 'spring'), {
  checkpoint: fileCheckpoint(options.file),
  signal: interruption.signal,
  total: options.items,
  retryRejected: options.retryRejected,
});
for await (const outcome of run) {
  if (outcome.status === 'done') continue;
  const { index, status, error } = outcome;
  print({ index, status, reason: error.message });
}
const { stoppedBecause, ...progress } = await run.summary();
print({ ...progress, stopped: stoppedBecause?.reason ?? 'at its end', now: clock.now() });

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
