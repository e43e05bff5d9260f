import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launch, runCommand, sentencesOf } from './served-version.js';
import { Service } from './service.js';
import type { Story, StoryGround } from './story.js';
import { entryOf, type PackageVersion } from './versions.js';
import { eventually } from './waiting.js';

const phones = Array.from({ length: 6 }, (_, place) => `+1555123000${place}`);
const [, , third = '', , fifth = ''] = phones;

/** Bulk runs of the earlier version end half way, and this version goes on from their checkpoints. */
export const checkpoints: Story = async (ground) => {
  const service = new Service();
  await service.start();
  ground.atEnd(() => service.close());
  await continueCampaign(ground, service);
  service.forget();
  if (ground.upgrade.from !== '0.1.0') await continueCampaignWithKeys(ground, service);
  service.forget();
  await continueImport(ground, service);
};

/** A campaign whose third message has an unknown outcome, whose fourth is rejected, and which has quota for no more. */
async function continueCampaign({ upgrade, folder, note }: StoryGround, service: Service): Promise<void> {
  const kind = 'The checkpoint of sendMany';
  const path = join(folder, 'campaign.json');
  service.treat(third, 'cut');
  service.treat(fifth, 'no quota');
  await sendCampaign(upgrade.earlier, service, path);
  service.acceptAll();
  const now = await sendCampaign(upgrade.current, service, path);
  note(kind, 'stopped', [
    {
      before: 'two sent, one unknown, one rejected, two open',
      now,
      expected: '4 sent, 1 rejected, 1 unknown',
    },
    {
      before: 'the requests that each of them has made',
      now: requestsOfEach(service),
      expected: '1, 1, 1, 0, 2 and 1', // the fifth had no quota before
    },
  ]);
  note(kind, 'downgrade', [
    {
      before: 'the checkpoint as this version wrote it',
      now: await sendCampaign(upgrade.earlier, service, path).catch((error: unknown) =>
        sentencesOf(error, folder),
      ),
      expected: 'transactional.sendMany was not sent: checkpoint holds something else',
    },
  ]);
}

async function sendCampaign(version: PackageVersion, service: Service, path: string): Promise<string> {
  const { MessagingAutomation } = await entryOf(version, 'index');
  const { fileCheckpoint } = await entryOf(version, 'bulk');
  const client = new MessagingAutomation({ apiKey: 'key', baseUrl: `${service.origin}/api`, retries: 0 });
  const messages = phones.map((phone, place) => ({
    phone: place === 3 ? 'no phone' : phone,
    templateId: 'spring',
  }));
  const { overall } = await client.transactional.sendMany(messages, {
    checkpoint: fileCheckpoint(path),
    concurrency: 1,
  });
  return `${overall.done} sent, ${overall.rejected} rejected, ${overall.unknown} unknown`;
}

/** A campaign with a key for each message, whose third message has an unknown outcome. */
async function continueCampaignWithKeys(
  { upgrade, folder, note }: StoryGround,
  service: Service,
): Promise<void> {
  const path = join(folder, 'campaign-with-keys.json');
  const { createMemoryKeyValueStore } = await entryOf(upgrade.earlier, 'index');
  const idempotencyStore = createMemoryKeyValueStore();
  const continueBy = async (version: PackageVersion, retryUnknown = false) => {
    const { MessagingAutomation } = await entryOf(version, 'index');
    const { fileCheckpoint } = await entryOf(version, 'bulk');
    const baseUrl = `${service.origin}/api`;
    const client = new MessagingAutomation({ apiKey: 'key', baseUrl, retries: 0, idempotencyStore });
    const messages = phones.map((phone) => ({ phone, templateId: 'spring' }));
    const { overall } = await client.transactional.sendMany(messages, {
      checkpoint: fileCheckpoint(path),
      concurrency: 1,
      idempotencyKey: ({ phone }) => phone,
      retryUnknown,
    });
    return { client, now: `${overall.done} sent, ${overall.unknown} unknown` };
  };
  service.treat(third, 'cut');
  await continueBy(upgrade.earlier);
  service.acceptAll();
  const { client, now } = await continueBy(upgrade.current);
  await client.transactional.settle(third, 'sent');
  const { now: afterwards } = await continueBy(upgrade.current, true);
  note('The checkpoint of sendMany with keys', 'stopped', [
    { before: 'five sent, one unknown', now, expected: '5 sent, 1 unknown' },
    {
      before: 'the same with its key settled as sent, and retryUnknown',
      now: `${afterwards}; ${service.requestsOf(third)} request for the one that was unknown`,
      expected: '6 sent, 0 unknown; 1 request',
    },
  ]);
}

/** An import that ended at its third row, as the quota was used up, and was killed at the same row when it ran again. */
async function continueImport({ upgrade, folder, note }: StoryGround, service: Service): Promise<void> {
  const { earlier, current, from } = upgrade;
  const kind = 'The checkpoint of contacts import';
  const file = join(folder, 'contacts.csv');
  await writeFile(file, ['phone', ...phones].join('\n'));
  const words = [
    'contacts',
    'import',
    file,
    '--url',
    service.origin,
    '--api-key',
    'key',
    '--concurrency',
    '1',
  ];
  const runImport = async (version: PackageVersion) => {
    const { exitCode, output, complaints } = await runCommand(version, words);
    return `exit code ${exitCode}: ${sentencesOf(`${output} ${complaints}`, folder)}`;
  };

  service.treat(third, 'no quota');
  await runImport(earlier);
  service.treat(third, 'hold');
  const killed = launch(earlier, words);
  await eventually('the third row again', () => (service.requestsOf(third) > 1 ? true : undefined));
  killed.kill('SIGKILL');
  await eventually('the end of the import', () => killed.signalCode ?? undefined);
  service.acceptAll();
  if (from === '0.1.0') {
    note(kind, 'stopped', [
      {
        before: 'the lock of an import that was killed',
        now: await runImport(current),
        expected: 'if you are sure that it has ended, delete contacts.checkpoint.json.lock',
      },
    ]);
    await rm(join(folder, 'contacts.checkpoint.json.lock'));
  }
  note(kind, 'stopped', [
    {
      before: 'two rows imported, one begun, three open',
      now: await runImport(current),
      expected: 'exit code 0: 6 rows: 6 imported',
    },
    {
      before: 'the requests that each row has made',
      now: requestsOfEach(service),
      expected: '1, 1, 3, 1, 1 and 1',
    },
  ]);
}

function requestsOfEach(service: Service): string {
  const counts = phones.map((phone) => service.requestsOf(phone));
  return `${counts.slice(0, -1).join(', ')} and ${counts.at(-1)}`;
}
