import { setTimeout as wait } from 'node:timers/promises';
import type { ReferenceWorkspace } from '../../../dist/server.js';
import type { Figures } from '../../measure/other-process.js';

export interface SteadyMessages {
  readonly messages: number;
  /** From one message to the next. In milliseconds. */
  readonly interval: number;
  /** What the text of each message begins with, before its number. Default: `message`. */
  readonly name?: string;
}

/** Takes in messages at a steady pace, and tells when each was due: a server that holds up its own is late. */
export async function receiveSteadily(
  workspace: ReferenceWorkspace,
  { messages, interval, name = 'message' }: SteadyMessages,
): Promise<Figures> {
  const now = () => Number(process.hrtime.bigint()) / 1e6;
  const due: Record<string, number> = {};
  const start = now() + interval;
  for (let index = 0; index < messages; index += 1) {
    const time = start + index * interval;
    if (time > now()) await wait(time - now());
    const body = `${name} ${index}`;
    due[body] = time;
    await workspace.simulate.inboundMessage({ phone: '+15551234567', body });
  }
  return due;
}
