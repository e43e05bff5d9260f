import { atMost, type Clock } from '../../foundation/clock.js';
import { attempt } from '../../foundation/runtime.js';

/**
 * How many turns of the microtask queue to wait before a timer is set. Work that only awaits promises of this process is usually done
 * by then, and a timer takes longer than everything else in a receiver.
 */
const turnsBeforeTimer = 20;

/** Waits for these turns, or until the work is done. */
export async function letTurnsPass(isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < turnsBeforeTimer && !isDone(); turn += 1) await undefined;
}

/** Does the same as `atMost` for work that is often done at once, and then needs no timer. */
export async function within<Done, Late>(
  clock: Clock,
  milliseconds: number,
  work: Promise<Done>,
  late: () => Late | Promise<Late>,
): Promise<Done | Late> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  await letTurnsPass(() => isDone);
  return isDone ? work : atMost(clock, milliseconds, work, late);
}

/** How many turns of the event loop a framework may take to write a response that an adapter returned to it. */
const turnsToWrite = 10;

/** Waits for these turns. Without timers, which tests replace, and which may wait for longer. */
export async function letResponsesBeWritten(): Promise<void> {
  // Not by its name alone, of which bundlers for edge runtimes warn.
  const channel = attempt(() => new globalThis.MessageChannel());
  if (channel === undefined) return; // an edge runtime, whose processes do not exit by themselves
  const { port1, port2 } = channel;
  for (let turn = 0; turn < turnsToWrite; turn += 1) {
    await new Promise((resolve) => {
      port1.onmessage = resolve;
      port2.postMessage(undefined);
    });
  }
  port1.close();
}
