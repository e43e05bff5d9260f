import { redirect } from 'next/navigation';
import { messaging } from '../../../messaging.js';

async function send(form) {
  'use server';
  await messaging.transactional.send({ phone: String(form.get('phone')), templateId: 'order_update' });
  redirect('/shop/sent');
}

export default function Page() {
  return (
    <form action={send}>
      <input name="phone" />
    </form>
  );
}
