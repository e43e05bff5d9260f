import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Opens a connection that sends whatever bytes a test likes. */
export async function openConnection(url: string) {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  let text = '';
  // A reset is one of the ways to be closed.
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk;
  });
  return {
    send: (data: string) => void socket.write(data),
    /** Everything that came back, once it holds this many complete responses. */
    async responses(count: number): Promise<string> {
      while (countResponses(text) < count) {
        if (socket.closed) throw new Error(`Closed after:\n${text}`);
        await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      }
      return text;
    },
    /** Everything that came back, once the other side has closed. */
    async closed(): Promise<string> {
      if (!socket.closed) await once(socket, 'close');
      return text;
    },
    destroy: () => void socket.destroy(),
  };
}

/** The lines of a request, without its body. */
export function requestHead(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${target} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
}

/** Counts the responses by their bodies, which are JSON objects or nothing. */
function countResponses(text: string): number {
  return text.split('HTTP/1.1 ').filter((part) => {
    const [head, body] = part.split('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(head ?? '')?.[1] ?? 0);
    return body !== undefined && Buffer.byteLength(body) >= length;
  }).length;
}
