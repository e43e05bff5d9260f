import { checkGroup } from '../check-group.js';

/** §8, what the document does not show: the headers of all responses, and whether one was a 429. */
export const headers = checkGroup({
  observe: async (run) => run.observed,
  checks: [],
  silences: [
    {
      statement: '§8 A limit to the rate of requests',
      see: ({ headerNames, rateLimited, waited }) => {
        const names = [...headerNames].filter((name) => /rate-?limit|^retry-after$/.test(name)).sort();
        const responses =
          rateLimited === 0
            ? 'no response was 429'
            : `responses with 429: ${rateLimited}, for which the check waited ${(waited / 1000).toFixed(1)} s`;
        return `${responses}; ${names.length === 0 ? 'no header names a limit' : names.join(', ')}`;
      },
    },
    {
      statement: '§8 A header that names the request',
      see: ({ headerNames }) =>
        [...headerNames]
          .filter((name) => /^(x-)?(request|correlation|trace)-id$|^traceparent$/.test(name))
          .join(', ') || 'none',
    },
  ],
});
