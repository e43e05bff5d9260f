import { Pool } from 'undici';
import { signWebhook } from '../../../dist/webhooks.js';
import { answerQuestions, usedCpu } from '../../measure/other-process.js';

/** Sends one signed body again and again; `process.argv[2]`: the port and how many at a time, as `8080/16`. */
const [port, atOnce] = (process.argv[2] ?? '').split('/').map(Number);
const timestamp = new Date().toISOString();
const body = JSON.stringify({
  event: 'message.received',
  workspaceId: 'workspace_0123456789abcdef0123456789abcdef',
  timestamp,
  data: {
    conversationId: 'conversation_0123456789abcdef0123456789abcdef',
    messageId: 'message_0123456789abcdef0123456789abcdef',
    contactId: 'contact_0123456789abcdef0123456789abcdef',
    phone: '+15551234567',
    type: 'text',
    body: 'Hello, this is the benchmark.',
    receivedAt: timestamp,
  },
});
const headers = {
  'content-type': 'application/json',
  'x-service-signature': signWebhook(body, 'whsec_of_the_benchmark'),
};
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: atOnce ?? null });

answerQuestions(
  {},
  {
    async deliver(deliveries) {
      const cpu = usedCpu();
      const start = performance.now();
      let left = Number(deliveries);
      const loop = async () => {
        while (left > 0) {
          left -= 1;
          const response = await pool.request({ path: '/', method: 'POST', headers, body });
          await response.body.dump();
        }
      };
      await Promise.all(Array.from({ length: atOnce ?? 0 }, loop));
      return { milliseconds: performance.now() - start, cpu: usedCpu() - cpu };
    },
  },
);
