import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { fileURLToPath } from 'node:url';
import { showProgress } from '../measure/progress.js';
import type { Report } from '../report/section.js';

const streams = 300;
const bytesSent = 64 * 1024;
const rounds = 3;
const megabyte = 1024 * 1024;

/** What a receiver over HTTP/2 still holds of senders that stalled, once it has responded to them. */
export async function measureStalled(): Promise<Report> {
  const child = fork(fileURLToPath(new URL('../peers/stalled-process.ts', import.meta.url)));
  const held = await bytesLeft(child).finally(() => child.kill());
  const sent = (rounds * streams * bytesSent) / megabyte;
  return {
    id: 'stalled',
    method:
      `${rounds} times ${streams} streams at once, each of which sends 64 kB of a delivery and then nothing ` +
      'more, and stays open until it gets a response. What the process of the receiver holds afterwards, its garbage ' +
      'collected, beyond what it held before.',
    sections: [
      {
        title: 'Hold of what stalled senders sent',
        unit: 'MB held, × MB sent',
        better: 'less',
        rows: [
          {
            name: 'toNodeHandler over HTTP/2',
            value: Math.max(0, held) / sent,
            measured: `${held.toFixed(1)} of ${sent} MB`,
            ours: true,
            target: 0.05,
          },
        ],
      },
    ],
  };
}

/** How many megabytes the receiver holds after the rounds, beyond what it held before. */
async function bytesLeft(child: ChildProcess): Promise<number> {
  const [port] = await once(child, 'message');
  await stallTogether(port); // code and caches are there from now on
  const before = await bytesHeldBy(child);
  for (let round = 0; round < rounds; round += 1) {
    showProgress('Stalling over HTTP/2', round, rounds);
    await stallTogether(port);
  }
  showProgress('Stalling over HTTP/2', rounds, rounds);
  return ((await bytesHeldBy(child)) - before) / megabyte;
}

async function stallTogether(port: unknown): Promise<void> {
  const session = connect(`http://127.0.0.1:${port}`, { maxSessionMemory: 1_000 });
  await Promise.all(Array.from({ length: streams }, () => stall(session)));
  session.destroy();
}

/** Sends a part of a delivery, and resolves once the receiver has responded and ended the stream. */
async function stall(session: ClientHttp2Session): Promise<void> {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/',
    'content-type': 'application/json',
    'x-service-signature': '0'.repeat(64),
  });
  stream.on('error', () => undefined); // the receiver resets what it has ended
  stream.resume();
  stream.write(Buffer.alloc(bytesSent, ' '));
  const [{ ':status': status }] = await once(stream, 'response');
  if (status !== 503) throw new Error(`A stalled sender got ${status}.`);
  if (!stream.closed) await once(stream, 'close');
}

async function bytesHeldBy(child: ChildProcess): Promise<number> {
  child.send('memory');
  const [bytes] = await once(child, 'message');
  return Number(bytes);
}
