import { createServer, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';

/** Listens on this machine until the end of the test. Default port: a free one. */
export async function startListener(listener: RequestListener, port = 0): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hooks`;
}
