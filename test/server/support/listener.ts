import { createServer, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';

/** Listens on a free port of this machine until the end of the test. */
export async function startListener(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hooks`;
}
