import { answerQuestions, usedCpu } from '../measure/other-process.js';

// The package as it is published, like the command beside it.
const { MessagingAutomation } = await import(new URL('../../dist/index.js', import.meta.url).href);

answerQuestions(
  {},
  {
    /** Upserts the rows of a table, all that the command does without a file. */
    upsert: async (input) => {
      const { baseUrl, rows } = Object(input);
      const messaging = new MessagingAutomation({ apiKey: 'test_key', baseUrl });
      const cpu = usedCpu();
      const start = performance.now();
      const { done } = await messaging.contacts.upsertMany(rows);
      return { done, milliseconds: performance.now() - start, cpu: usedCpu() - cpu };
    },
  },
);
