import { answerQuestions } from '../../measure/other-process.js';
import { receiveSteadily } from './steady-messages.js';
import { createSubscribedServer } from './subscribed-server.js';

/** A healthy subscription among others. `process.argv[2]`: its port, theirs, and how many they are, as `1/2/100`. */
const [healthy, others, count] = (process.argv[2] ?? '').split('/').map(Number);
const server = await createSubscribedServer([
  ...Array.from({ length: count ?? 0 }, (_, index) => `http://127.0.0.1:${others}/${index}`),
  `http://127.0.0.1:${healthy}/`, // the last, so that whatever is done in order has it wait
]);

answerQuestions({}, { receive: (input) => receiveSteadily(server, Object(input)) });
