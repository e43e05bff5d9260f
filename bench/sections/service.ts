import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts the service in a process of its own, so that none of its time counts. */
export async function startService(): Promise<AsyncDisposable & { readonly origin: string }> {
  const child = fork(fileURLToPath(new URL('service-process.ts', import.meta.url)));
  const [port] = await once(child, 'message');
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
