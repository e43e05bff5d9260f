import { attempt } from '../../foundation/runtime.js';

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
