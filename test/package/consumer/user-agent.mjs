// Prints the User-Agent header that the installed package sends.
import { MessagingAutomation } from 'messaging-automation';

await new MessagingAutomation({
  apiKey: 'test_key',
  baseUrl: 'https://api.example.test/api',
  fetch: async (_url, { headers }) => {
    process.stdout.write(new Headers(headers).get('user-agent'));
    return Response.json({ data: [] });
  },
}).templates.list();
