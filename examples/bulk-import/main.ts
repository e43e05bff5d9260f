// Imports the contacts of a CSV file, then sends each of them a template:
//
//   MESSAGING_AUTOMATION_API_KEY=… MESSAGING_AUTOMATION_BASE_URL=… npx tsx examples/bulk-import/main.ts contacts.csv
//
// You can stop it at any time: with Ctrl-C, a kill, or because the quota runs out. When you start it again, it continues, and no
// contact gets the message twice: what was under way at a kill is reported as unknown.
//
// Copy rows.ts along, and run `npm pkg set type=module` and `npm install messaging-automation tsx`.
import { type BulkProgress, type BulkRun, MessagingAutomation } from 'messaging-automation';
import { fileCheckpoint } from 'messaging-automation/bulk';
import { type Row, rowsOf } from './rows.js';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('Name the CSV file.');

const messaging = new MessagingAutomation();
const interruption = new AbortController();
process.once('SIGINT', () => interruption.abort());

const imported = messaging.contacts.upsertEach(contactsOf(rowsOf(path)), {
  checkpoint: fileCheckpoint(`${path}.import.json`),
  signal: interruption.signal,
  onProgress: show('import'),
});
await follow('import', imported);

const sent = messaging.transactional.sendEach(messagesTo(rowsOf(path)), {
  concurrency: 4,
  checkpoint: fileCheckpoint(`${path}.sends.json`),
  signal: interruption.signal,
  onProgress: show('sends'),
});
await follow('sends', sent);

async function* contactsOf(rows: AsyncIterable<Row>) {
  for await (const { phone, firstName } of rows) yield { phone, properties: { firstName } };
}

async function* messagesTo(rows: AsyncIterable<Row>) {
  for await (const { phone, firstName, orderId } of rows)
    yield { phone, templateId: 'order_update', variables: { '1': firstName, '2': orderId } };
}

/** Prints each failed row, and the totals at the end. If the job stopped, the program stops. */
async function follow(job: string, run: BulkRun<unknown, unknown>): Promise<void> {
  for await (const outcome of run) {
    if (outcome.status !== 'done')
      console.error(`${job}, row ${outcome.index + 1}, ${outcome.status}: ${outcome.error.message}`);
  }
  const { done, rejected, unknown, skipped, stoppedBecause } = await run.summary();
  console.log(`${job}: ${done} done, ${rejected} rejected, ${unknown} unknown, ${skipped} done earlier`);
  if (rejected > 0 || unknown > 0) process.exitCode = 1;
  if (stoppedBecause === undefined) return;
  console.error(
    `${job} stopped at row ${stoppedBecause.index + 1}: ${stoppedBecause.reason}. Run it again to go on.`,
  );
  process.exit(1);
}

/** Prints the progress at every thousandth item. */
function show(job: string) {
  return ({ done, rejected, unknown, skipped }: BulkProgress) => {
    const ended = done + rejected + unknown + skipped;
    if (ended % 1_000 === 0) console.log(`${job}: ${ended}`);
  };
}
