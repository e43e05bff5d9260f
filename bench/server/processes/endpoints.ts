import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { answerQuestions } from '../../measure/other-process.js';

/** A healthy endpoint that notes when each message arrives, and one that accepts connections and never responds. */
const arrivals = new Map<string, number>();
const healthy = createHttpServer((request, response) => {
  const chunks: Uint8Array[] = [];
  request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  request.on('end', () => {
    const now = Number(process.hrtime.bigint()) / 1e6;
    const { data } = JSON.parse(Buffer.concat(chunks).toString());
    if (!arrivals.has(data.body)) arrivals.set(data.body, now);
    response.writeHead(204);
    response.end();
  });
});
healthy.keepAliveTimeout = 600_000;
const silent = createServer((socket) => socket.on('error', () => {}).resume());
const refusing = createServer();

const ready = {
  healthy: await listen(healthy),
  silent: await listen(silent),
  refusing: await listen(refusing),
};
await new Promise((resolve) => refusing.close(resolve));
answerQuestions(ready, {
  arrivals: () => Object.fromEntries(arrivals),
});

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error('No port is free.'));
    });
  });
}
