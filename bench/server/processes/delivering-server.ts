import { answerQuestions, usedCpu } from '../../measure/other-process.js';
import { createSubscribedServer } from './subscribed-server.js';

/** `process.argv[2]`: the receiver's port and how many subscriptions deliver to it, as `8080/10`. */
const [port, subscriptions] = (process.argv[2] ?? '').split('/').map(Number);
const urls = Array.from({ length: subscriptions ?? 0 }, (_, index) => `http://127.0.0.1:${port}/${index}`);
const server = await createSubscribedServer(urls);

answerQuestions(
  {},
  {
    async deliver(deliveries) {
      const cpu = usedCpu();
      const start = performance.now();
      for (let sent = 0; sent < Number(deliveries) / urls.length; sent += 1) {
        const phone = `+1555${1_000_000 + (sent % 1_000)}`;
        await server.simulate.inboundMessage({ phone, body: 'Hello, this is the benchmark.' });
      }
      await server.settled();
      return { milliseconds: performance.now() - start, cpu: usedCpu() - cpu };
    },
  },
);
