import { readFile, rm, writeFile } from 'node:fs/promises';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { type WebhookEventType, webhookEventTypes } from '../../contract/webhook-event-type.js';
import { undefinedIf } from '../../files/real-path.js';
import type { CreateWebhookInput, WebhookSubscription } from '../../index.js';
import {
  type Deployment,
  type DeploymentOptions,
  deploymentOf,
  withDeploymentOptions,
} from '../running-server/options.js';
import { confirm } from '../terminal/confirm.js';
import { failing, messageOf, UsageError } from '../terminal/failures.js';
import { type CliCommand, shownArgument, stopSignal, styled, type Terminal } from '../terminal/terminal.js';

interface WebhooksOptions extends DeploymentOptions {
  readonly events?: readonly WebhookEventType[];
  readonly secretFile?: string;
  readonly yes: boolean;
}

/** `messaging-automation webhooks`: lists, creates and deletes the webhook subscriptions of a deployment. */
export const webhooksCommand: CliCommand = {
  define: () =>
    withDeploymentOptions(
      new Command('webhooks')
        .description('list, create or delete the webhook subscriptions of any deployment')
        .addArgument(new Argument('<action>', 'what to do').choices(['list', 'ensure', 'delete']))
        .argument('[subscription]', 'its URL; for delete also its id')
        .option('--events <types>', 'event types for ensure, separated by commas', eventTypes)
        .option('--secret-file <file>', 'new file for the secret that ensure gets; - for standard output')
        .option('--yes', 'delete without asking for confirmation', false),
    ),
  examples: `  $ messaging-automation webhooks list
  $ messaging-automation webhooks ensure https://app.example.com/hooks \\
      --events message.received,contact.opted_out --secret-file webhook-secret
  $ messaging-automation webhooks delete https://app.example.com/hooks`,
  notes: `ensure creates a subscription if none has this URL, and changes nothing if one
has. The service shows the secret only when it creates the subscription, so ensure
creates none without --secret-file. Only you can read that file, and it must be
new. The service cannot change a subscription. For other events, delete it and run
ensure again; events in between are lost. For a new secret without a loss, follow
"Rotate the secret of a webhook" in docs/guides/handle-each-delivery-once.md.

ensure sends one request to create. If its outcome is unknown, ensure prints whether
the subscription exists. delete asks first; off a terminal it needs --yes.

Exit codes:
  0  it is done, or there was nothing to do
  1  it is not: the message says what is there, and what to do
  2  the command line is wrong`,
  run: webhooks,
};

/** One run of the command. */
interface Task extends Deployment, WebhooksOptions {
  readonly terminal: Terminal;
}

async function webhooks(
  terminal: Terminal,
  action: 'list' | 'ensure' | 'delete',
  named: string | undefined,
  options: WebhooksOptions,
): Promise<void> {
  const task = { ...deploymentOf(terminal, options), ...options, terminal };
  if (action === 'list') return list(task);
  if (named === undefined) throw new UsageError(`webhooks ${action} needs the URL of a subscription.`);
  return action === 'ensure' ? ensure(task, named) : remove(task, named);
}

async function list({ client, terminal, json, shown, report }: Task): Promise<void> {
  const all = await client.webhooks.list();
  if (json || all.length === 0) {
    return report('There are no subscriptions.', { webhooks: all.map(documented) });
  }
  for (const { id, url, events, enabled } of all) {
    const state = enabled ? styled(terminal, 'green', 'enabled') : styled(terminal, 'red', 'disabled');
    terminal.print(`${shown(id)}  ${state}`, `  ${shown(url)}`, `  ${shown(events.join(', '))}`);
  }
}

async function ensure(task: Task, url: string): Promise<void> {
  const { events, secretFile, failure, report } = task;
  if (events === undefined) throw new UsageError('Pass the event types, as in --events message.received.');
  if (secretFile === '-' && task.json)
    throw new UsageError('--secret-file - prints the secret alone: leave out --json.');
  const found = await subscriptionsAt(task, url);
  const [existing] = found;
  if (existing !== undefined) {
    const secret = secretFile === undefined ? undefined : await secretIn(secretFile);
    const needsSecret = secretFile !== undefined && secret === undefined;
    const problem =
      problemWith(found, events, needsSecret) ?? (secret === '' && lostSecret(existing, secretFile));
    if (problem) throw failure(`${problem} Nothing was changed.`);
    const line = `${existing.id} has this URL and these events. Nothing was changed.`;
    return report(line, { ...documented(existing), created: false });
  }
  if (secretFile === undefined)
    throw new UsageError(
      'No subscription has this URL, and none was created, because the service shows its secret only once. ' +
        'Pass --secret-file FILE to keep it, or --secret-file - to pipe it to another program.',
    );
  const created = await createOnce(task, { url, events }, secretFile);
  if (secretFile !== '-')
    report(`${created.id} is created. Its secret is in ${secretFile}.`, { ...created, created: true });
  const now = await subscriptionsAt(task, url).catch(() => []);
  if (now.length > 1) throw failure(doubled(now));
}

/** Creates a subscription by one request, and writes its secret into a new file. */
async function createOnce(task: Task, input: CreateWebhookInput, secretFile: string) {
  const { client, terminal, failure, describe } = task;
  const hasFile = secretFile !== '-';
  const refuse = failing(
    '--secret-file must name a new file that can be written: delete an empty one that an earlier run left. Nothing was created.',
  );
  // A file that exists or cannot be written must fail before there is a secret.
  if (hasFile) await writeFile(secretFile, '', { flag: 'wx', mode: 0o600 }).catch(refuse);
  stopSignal(terminal); // Ctrl-C must not end the process between the response and the file
  const created = await client.webhooks.create(input).catch(async (error: unknown) => {
    if (hasFile) await rm(secretFile, { force: true });
    if (Object(error).outcome !== 'unknown') throw error;
    throw failure(`${describe(error)} ${await whatIsThere(task, input)}`, { outcome: 'unknown' });
  });
  const lose = (why: string): never => {
    const lost = `${created.id} is created, and its secret is lost: ${why}`;
    throw failure(
      `${lost} Delete it with \`messaging-automation webhooks delete ${shownArgument(created.id)}\`, and run this again.`,
    );
  };
  if (hasFile) {
    const writing = writeFile(secretFile, created.secret, { flag: 'r+', flush: true });
    await writing.catch((error: unknown) => lose(messageOf(error)));
  } else {
    terminal.print(created.secret);
    if ((await terminal.outputFailure()) !== undefined) lose('Nothing reads standard output.');
  }
  return documented(created);
}

/** The secret in a file. Empty if the file is, and `undefined` if there is none. */
async function secretIn(file: string): Promise<string | undefined> {
  const content = readFile(file, 'utf8').catch(undefinedIf('ENOENT'));
  return (await content.catch(failing('--secret-file cannot be read.')))?.trim();
}

/** A run that was ended between the creation and the writing leaves an empty file. */
function lostSecret({ id }: WebhookSubscription, file = ''): string {
  return `${id} has this URL, and ${file} is empty: a run was ended before it wrote the secret, which is lost, or is writing it now. Delete the file, run \`messaging-automation webhooks delete ${shownArgument(id)}\`, and run this again; events in between are lost.`;
}

/** What is at the URL after a creation whose outcome is unknown: its secret is lost. */
async function whatIsThere(task: Task, { url, events }: CreateWebhookInput): Promise<string> {
  const found = await subscriptionsAt(task, url).catch(() => undefined);
  if (found === undefined) return 'Whether it exists could not be read: run `webhooks list`.';
  const [created] = found;
  if (created === undefined) return 'No subscription has this URL now.';
  const lost = `${created.id} has this URL now, and its secret is lost. Delete it, and run this again.`;
  return problemWith(found, events, false) ?? lost;
}

/** What is different from what was asked for, and the remedy. */
function problemWith(
  found: readonly WebhookSubscription[],
  wanted: readonly string[],
  needsSecret: boolean,
): string | undefined {
  const remedy = 'Delete it, and run this again; events in between are lost.';
  if (found.length > 1) return doubled(found);
  for (const { id, enabled, events } of found) {
    if (!enabled) return `${id} has this URL, and is disabled. ${remedy}`;
    if (events.toSorted().join() !== wanted.toSorted().join())
      return `${id} has this URL, and other events: ${events.join(', ')}. ${remedy}`;
    if (needsSecret)
      return `${id} has this URL, and its secret cannot be read again. For a new one without a loss, follow "Rotate the secret of a webhook" in docs/guides/handle-each-delivery-once.md.`;
  }
  return undefined;
}

function doubled(found: readonly WebhookSubscription[]): string {
  const ids = found.map(({ id }) => id).join(', ');
  return `${found.length} subscriptions have this URL, so it gets each event more than once: ${ids}. Delete all but one by their ids.`;
}

async function remove(task: Task, named: string): Promise<void> {
  const { client, terminal, shown, report, failure } = task;
  const [found, ...others] = await subscriptionsAt(task, named, true);
  if (found === undefined) throw failure('No subscription has this URL or id. Nothing was deleted.');
  if (others.length > 0) throw failure(`${doubled([found, ...others])} Nothing was deleted.`);
  await confirm(terminal, shown(`Delete ${found.id}, which delivers to ${found.url}?`), task.yes);
  await client.webhooks.delete(found.id);
  report(`${found.id} is deleted.`, { ...documented(found), deleted: true });
}

/** The subscriptions with this URL, or also with this id. */
async function subscriptionsAt(
  { client }: Task,
  named: string,
  orId = false,
): Promise<readonly WebhookSubscription[]> {
  const all = await client.webhooks.list();
  return all.filter(({ id, url }) => (orId && id === named) || normalized(url) === normalized(named));
}

/** The same for two URLs that are written differently, such as with a port or without. */
function normalized(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

/** What to print of a subscription: no secret, and nothing that the service's document does not know. */
function documented({ id, url, events, enabled, createdAt }: WebhookSubscription) {
  return { id, url, events, enabled, createdAt };
}

function eventTypes(text: string): readonly WebhookEventType[] {
  const names = new Set<string>(text.split(','));
  const types = webhookEventTypes.filter((type) => names.has(type));
  if (types.length === names.size) return types;
  throw new InvalidArgumentError(`The event types are ${webhookEventTypes.join(', ')}.`);
}
