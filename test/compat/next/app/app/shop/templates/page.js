import { MessagingAutomation } from 'messaging-automation';

// Nobody listens at the address of the build: Next.js must be able to make the page dynamic before the request.
const baseUrl = process.env.MESSAGING_AUTOMATION_BASE_URL ?? 'http://127.0.0.1:9/api';
const messaging = new MessagingAutomation({ apiKey: 'key_of_the_page', baseUrl });

export default async function Page() {
  const templates = await messaging.templates.list();
  return <p>{`${templates.length} templates`}</p>;
}
