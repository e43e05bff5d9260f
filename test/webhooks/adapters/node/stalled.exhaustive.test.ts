import { once } from 'node:events';
import { connect, createServer, type Http2ServerRequest } from 'node:http2';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { signatureHeader } from 'messaging-automation/webhooks';
import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../../server/support/manual-clock.js';
import { settle, until } from '../../../waiting.js';
import { portOf } from '../support/environment.js';
import { recordingReceiver } from '../support/receiver.js';
import { wrongSignature } from '../support/sent.js';
import { listenersOfHttp2 } from './http2.js';

const streams = 300;
const head = { ':method': 'POST', ':path': '/webhooks', 'content-type': 'application/json' };

test.each(Object.entries(listenersOfHttp2))(
  'over HTTP/2, in %s, 300 senders that stall get a response, and nothing of them is held',
  async (_, listenerOf) => {
    const clock = new ManualClock();
    const { receiver } = recordingReceiver({ clock });
    const listener = await listenerOf(receiver);
    const requests: Http2ServerRequest[] = []; // kept, as an application may
    const chunks: WeakRef<Uint8Array>[] = [];
    const server = createServer((request, response) => {
      void listener(request, response);
      requests.push(request);
      request.once('data', (chunk: Uint8Array) => chunks.push(new WeakRef(chunk)));
    });
    const session = connect(`http://127.0.0.1:${await portOf(server)}`);
    onTestFinished(() => {
      session.destroy();
      server.close();
    });

    const senders = Array.from({ length: streams }, () => {
      const sender = session.request({ ...head, [signatureHeader]: wrongSignature });
      sender.write(' '.repeat(100)); // and then nothing more
      return sender;
    });
    await until('the bodies that stall', () => chunks.length === streams);
    const responses = senders.map(async (sender) => {
      const closed = once(sender, 'close');
      const [headers] = await once(sender, 'response');
      await closed;
      return [headers[':status'], sender.rstCode];
    });
    // To the moment when a slow handler would be reported, and to the deadline.
    for (const part of [3_600, 900]) {
      clock.pass(part);
      await settle();
    }

    expect(await Promise.all(responses)).toEqual(senders.map(() => [503, 0]));
    await until('the end of each stream', () => requests.every(({ stream }) => stream.closed));
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    await new Promise((resolve) => setImmediate(resolve)); // a weak reference holds until its turn is over
    collectGarbage();
    expect(chunks.filter((chunk) => chunk.deref() !== undefined).length).toBeLessThan(streams / 10);
  },
);
