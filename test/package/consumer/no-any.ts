// With skipLibCheck, a type that a compiler cannot read becomes `any`, and no error says so. Here it does not compile.
import { type Contact, MessagingAutomation } from 'messaging-automation';
import { fileCheckpoint } from 'messaging-automation/bulk';
import { type ConformanceReport, checkConformance } from 'messaging-automation/conformance';
import { createReferenceServer, type ReferenceServer } from 'messaging-automation/server';
import { signTestDelivery, type TestDelivery } from 'messaging-automation/webhooks';

type Known<Value> = 0 extends 1 & Value ? never : Value;

function known<Value>(value: Known<Value>): void {
  void value;
}

const messaging = new MessagingAutomation({ apiKey: 'key', baseUrl: 'http://127.0.0.1:1/api' });

export async function bulk(): Promise<void> {
  const run = messaging.contacts.upsertEach([{ phone: '+15551234567' }], {
    checkpoint: fileCheckpoint('done.json'),
  });
  for await (const outcome of run) {
    known(outcome);
    known(outcome.status);
    if (outcome.status === 'done') known<Contact>(outcome.data);
  }
  known(await run.summary());
  for (const subscription of await messaging.webhooks.list()) known(subscription);
}

export async function server(reference: ReferenceServer = createReferenceServer()): Promise<void> {
  for (const delivery of await reference.deliveries.find()) {
    known(delivery);
    known(delivery.body);
    known(delivery.body.length);
  }
}

export function bytes(delivery: TestDelivery): void {
  known(signTestDelivery);
  known(delivery.bytes);
  known(delivery.bytes.byteLength);
}

export function conformance(report: ConformanceReport): void {
  known(checkConformance);
  for (const check of report.checks) known(check);
}
