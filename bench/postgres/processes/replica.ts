import { createReferenceServer } from '../../../dist/server.js';
import { answerQuestions, usedCpu } from '../../measure/other-process.js';
import { apiKey } from '../../server/processes/api-key.js';
import { subscribe } from '../../server/processes/call.js';
import { storeOptions } from '../../server/processes/store.js';

/** One of the servers that share a store, or one in memory. Those that share one have the same key, and so the same workspace. */
const server = createReferenceServer({ apiKey, ...(await storeOptions()) });

/** How many messages are taken in at a time. */
const atOnce = 32;

answerQuestions(
  {},
  {
    async subscribe(input) {
      for (const url of String(input).split(' ')) await subscribe(server, apiKey, url);
      return {};
    },
    /** Takes in so many messages, and responds when all have been delivered. */
    async receive(messages) {
      const cpu = usedCpu();
      const start = performance.now();
      let left = Number(messages);
      const caller = async () => {
        while (left > 0) {
          left -= 1;
          const phone = `+1555${1_000_000 + (left % 1_000)}`;
          await server.simulate.inboundMessage({ phone, body: 'Hello, this is the benchmark.' });
        }
      };
      await Promise.all(Array.from({ length: atOnce }, caller));
      await server.settled();
      return { milliseconds: performance.now() - start, cpu: usedCpu() - cpu };
    },
    /** Takes in so many messages, and leaves it at that. */
    async take(messages) {
      for (let index = 0; index < Number(messages); index += 1) {
        await server.simulate.inboundMessage({
          phone: `+1555${1_000_000 + index}`,
          body: `message ${index}`,
        });
      }
      return {};
    },
  },
);
