import { setTimeout as wait } from 'node:timers/promises';
import { answerQuestions } from '../../measure/other-process.js';
import { createSubscribedServer } from './subscribed-server.js';

/** A healthy subscription among others. `process.argv[2]`: its port, theirs, and how many they are, as `1/2/100`. */
const [healthy, others, count] = (process.argv[2] ?? '').split('/').map(Number);
const server = await createSubscribedServer([
  ...Array.from({ length: count ?? 0 }, (_, index) => `http://127.0.0.1:${others}/${index}`),
  `http://127.0.0.1:${healthy}/`, // the last, so that whatever is done in order has it wait
]);
const now = () => Number(process.hrtime.bigint()) / 1e6;

answerQuestions(
  {},
  {
    /** Takes in messages at a steady pace, and tells when each was due: a server that holds up its own is late. */
    async receive(input) {
      if (typeof input !== 'object' || input === null) throw new Error('Receive how many?');
      const messages = Number(Reflect.get(input, 'messages'));
      const interval = Number(Reflect.get(input, 'interval'));
      const due: Record<string, number> = {};
      const start = now() + interval;
      for (let index = 0; index < messages; index += 1) {
        const time = start + index * interval;
        if (time > now()) await wait(time - now());
        due[`message ${index}`] = time;
        await server.simulate.inboundMessage({ phone: '+15551234567', body: `message ${index}` });
      }
      return due;
    },
  },
);
