import { connection } from 'next/server';
import { messaging } from '../../../messaging.js';

export default async function Page() {
  await connection(); // not at the build, which has no environment
  const templates = await messaging.templates.list();
  return <p>{`${templates.length} templates`}</p>;
}
