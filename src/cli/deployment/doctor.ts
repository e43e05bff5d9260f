import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { isThisMachine } from '../../foundation/this-machine.js';
import type { Middleware, TransportResponse, WebhookSubscription } from '../../index.js';
import { signTestDelivery, type TestDelivery } from '../../webhooks/index.js';
import { control } from '../running-server/operations.js';
import {
  type Deployment,
  type DeploymentOptions,
  deploymentOf,
  rootOf,
  withDeploymentOptions,
} from '../running-server/options.js';
import {
  explainReceiver,
  postDelivery,
  receiverDeadline,
  receiverUrl,
  webhookSecret,
} from '../running-server/receiver.js';
import { failing, reasonOf, usable } from '../terminal/failures.js';
import { type CliCommand, shownArgument, styled, type Terminal } from '../terminal/terminal.js';

interface DoctorOptions extends DeploymentOptions {
  readonly receiver?: string;
  readonly secretFile?: string;
}

/** `messaging-automation doctor`: checks what an integration depends on. */
export const doctorCommand: CliCommand = {
  define: () =>
    withDeploymentOptions(
      new Command('doctor')
        .description('check the URL, the key, the clock, the subscriptions and a receiver, with remedies')
        .option('--receiver <url>', 'also send a signed and a forged delivery to this receiver')
        .option('--secret-file <file>', "file with the receiver's secret (default: $WEBHOOK_SECRET)"),
    ),
  examples: `  $ messaging-automation doctor
  $ messaging-automation doctor --receiver https://app.example.com/hooks --secret-file webhook-secret
  $ messaging-automation doctor --json | jq 'select(.verdict == "wrong")'`,
  notes: `Works with any deployment, and changes nothing. Each check prints what it saw:
  ✓  this is right
  ✗  this is wrong, and the next line says what to do
  –  a note, for you to judge

The deliveries have the type doctor.check, which a receiver acknowledges and does not
handle. It must respond to the signed one with a 2xx within five seconds, and refuse the
forged one with a 4xx. --json prints one object a line, for each check.

Exit codes:
  0  nothing is wrong
  1  something is wrong
  2  the command line is wrong`,
  run: doctor,
};

const marks = { well: ['green', '✓'], wrong: ['red', '✗'], note: ['yellow', '–'] } as const;

/** Prints what a check saw. */
type Report = (verdict: keyof typeof marks, check: string, seen: string, remedy?: string) => void;

/** How long the service may take, in milliseconds, and the longest response that is read, in bytes. */
const limits = { timeout: 10_000, maxResponseBytes: 1024 * 1024, retries: 0, validation: 'strict' } as const;

/** The largest difference between two clocks that are right, in seconds. */
const largestSkew = 30;

async function doctor(terminal: Terminal, options: DoctorOptions): Promise<number> {
  const { receiver, secretFile, json } = options;
  const to = receiver && receiverUrl('--receiver', receiver);
  const content = secretFile && readFile(secretFile, 'utf8').catch(failing('--secret-file cannot be read.'));
  const stored = content && (await content).replace(/\r?\n$/, '');
  const secret = to && webhookSecret(terminal, stored, '--secret-file');
  const sample = secret && usable(() => signTestDelivery({ secret, event: 'doctor.check' }));
  const deployment = deploymentOf(terminal, options, limits, secret);
  const { shown } = deployment;
  let exitCode = 0;
  const report: Report = (verdict, check, seen, remedy) => {
    if (verdict === 'wrong') exitCode = 1;
    if (json) return deployment.report('', { check, verdict, seen, remedy });
    const [style, mark] = marks[verdict];
    terminal.print(`${styled(terminal, style, mark)} ${check.padEnd(15)} ${shown(seen)}`);
    if (remedy !== undefined) terminal.print(`  ${shown(remedy)}`);
  };
  await checkService(terminal, deployment, report);
  if (to && sample) await checkReceiver(terminal, to, sample, report);
  return exitCode;
}

async function checkService(
  { clock }: Terminal,
  { client, baseUrl, describe }: Deployment,
  report: Report,
): Promise<void> {
  let response: TransportResponse | undefined;
  const noteResponse: Middleware = async (request, next) => {
    response = await next(request);
    return response;
  };
  if (baseUrl.endsWith('/api')) report('well', 'base URL', baseUrl);
  else report('note', 'base URL', `${baseUrl} does not end in /api, where the service responds`);
  const begun = clock.now();
  const observed = client.withOptions({ middleware: [noteResponse] });
  const all = await observed.webhooks.list().catch((error: unknown) => {
    const { status = 0, headers } = response ?? {};
    const check = status === 0 ? 'connection' : [401, 403].includes(status) ? 'key' : 'response';
    const parts = [status, headers?.get('content-type'), headers?.get('location')].filter(Boolean);
    report('wrong', check, parts.join(' ') || reasonOf(error), describe(error));
  });
  const ended = clock.now();
  if (all !== undefined) {
    report('well', 'key', 'accepted');
    checkSubscriptions(all, report);
  }
  if (response === undefined) return;
  const ahead = Math.round(((begun + ended) / 2 - Date.parse(response.headers.get('date') ?? '')) / 1_000);
  const isRight = Math.abs(ahead) <= largestSkew;
  if (isRight) report('well', 'clock', 'agrees with that of the service');
  else if (Number.isNaN(ahead)) report('note', 'clock', 'the response has no valid Date header');
  else
    report(
      'wrong',
      'clock',
      `${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'} that of the service`,
      'Set the clock of this machine. A receiver refuses deliveries that are too old or too new by its clock.',
    );
  if (await hasControlSurface(baseUrl))
    report('note', 'server', 'has a control surface: it is a reference server');
}

/** Looks for a control surface, without reading the response. */
async function hasControlSurface(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(limits.timeout);
  const index = await fetch(rootOf(url) + control.surface.index.path, { redirect: 'manual', signal }).catch(
    () => undefined,
  );
  void index?.body?.cancel().catch(() => {});
  return index?.status === 200 && /json/.test(index.headers.get('content-type') ?? '');
}

function checkSubscriptions(all: readonly WebhookSubscription[], report: Report): void {
  const check = 'subscriptions';
  report('well', check, `${all.length}`);
  for (const { id, url, enabled } of all) {
    const again = `Delete it with \`messaging-automation webhooks delete ${shownArgument(id)}\`.`;
    const address = URL.canParse(url) ? new URL(url) : undefined;
    if (!enabled)
      report('wrong', check, `${id} is disabled`, `${again} \`webhooks ensure\` creates it again.`);
    if (address && isThisMachine(address.hostname))
      report('note', check, `${id} delivers to ${url}, the machine of the service itself`);
    else if (address?.protocol === 'http:')
      report('wrong', check, `${id} delivers in clear text to ${url}`, again);
    if (all.some((other) => other.url === url && other.id < id))
      report('wrong', check, `${id} is another one for ${url}, which gets events twice`, again);
  }
}

/** Sends a receiver the sample as it is, and signed with another secret. */
async function checkReceiver(
  terminal: Terminal,
  url: string,
  sample: TestDelivery,
  report: Report,
): Promise<void> {
  const send = ({ bytes: body, signature = '' }: TestDelivery) =>
    postDelivery(url, { body, signature }, AbortSignal.timeout(receiverDeadline));
  const signed = await send(sample);
  if (signed.responseBody === undefined)
    return report(
      'wrong',
      'receiver',
      `${signed.error}`,
      `${explainReceiver(terminal, url, signed.error)} It has five seconds to respond.`,
    );
  if (signed.error === undefined)
    report('well', 'receiver', `responds with ${signed.status} to a signed delivery`);
  else
    report(
      'wrong',
      'receiver',
      signed.error,
      'Give it the secret of its subscription and the raw body. `messaging-automation diagnose` names the fault.',
    );
  const { status = 0, error = `it responds with ${status}: it does not verify signatures` } = await send(
    sample.wrongSecret(),
  );
  if (status >= 400 && status < 500) report('well', 'forged delivery', `responds with ${status}`);
  else
    report(
      'wrong',
      'forged delivery',
      error,
      'Return 401 before anything else, or anyone can send it events: createWebhookReceiver does.',
    );
}
