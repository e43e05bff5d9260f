import { MessagingAutomation } from 'messaging-automation';
import { cookies } from 'next/headers';
import { redirect } from 'next/navigation';

const messaging = new MessagingAutomation({
  apiKey: async () => (await cookies()).get('key')?.value ?? redirect('/shop/login'),
  baseUrl: process.env.MESSAGING_AUTOMATION_BASE_URL ?? 'http://127.0.0.1:9/api',
});

export default async function Page() {
  const templates = await messaging.templates.list();
  return <p>{`${templates.length} templates`}</p>;
}
