import { checkGroup } from '../check-group.js';

/** §8, what it does not show, seen in passing: the headers of all answers, and whether any was turned away. */
export const headers = checkGroup({
  observe: async (run) => run.observed,
  checks: [],
  silences: [
    {
      section: '§8',
      statement: 'A limit to the rate of requests',
      see: ({ headerNames, statuses }) => {
        const names = [...headerNames].filter((name) => /rate-?limit|^retry-after$/.test(name)).sort();
        const answers = statuses.has(429) ? '429 was seen' : 'no 429 was seen';
        return `${answers}; ${names.length === 0 ? 'no header speaks of one' : names.join(', ')}`;
      },
    },
    {
      section: '§8',
      statement: 'A header that names the request',
      see: ({ headerNames }) =>
        [...headerNames]
          .filter((name) => /^(x-)?(request|correlation|trace)-id$|^traceparent$/.test(name))
          .join(', ') || 'none was seen',
    },
  ],
});
