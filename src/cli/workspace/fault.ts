import { Argument, Command, InvalidArgumentError } from 'commander';
import { webhookEventTypes } from '../../contract/webhook-event-type.js';
import type { FaultState } from '../../server/index.js';
import type { ControlClient } from '../running-server/control-client.js';
import { control } from '../running-server/operations.js';
import {
  type ControlOptions,
  controlClientOf,
  givenOf,
  withControlOptions,
} from '../running-server/options.js';
import { CommandFailure, UsageError } from '../terminal/failures.js';
import type { CliCommand, Terminal } from '../terminal/terminal.js';

/** Which of the requests or deliveries that a rule is for it strikes. */
interface SelectionOptions {
  readonly times?: number;
  readonly nth?: number;
  readonly every?: number;
  readonly probability?: number;
  readonly subscriptionId?: string;
}

/** What the fault does. */
interface EffectOptions {
  readonly status?: number;
  readonly retryAfter?: string;
  readonly duration?: string;
  readonly when?: string;
  readonly change?: string;
  readonly field?: string;
  readonly part?: string;
}

type FaultOptions = ControlOptions & SelectionOptions & EffectOptions;

/** The words for all requests and all deliveries, and how a rule names them. */
const subjects: Readonly<Record<string, object>> = {
  requests: { operation: 'any' },
  deliveries: { delivery: 'any' },
  ...Object.fromEntries(webhookEventTypes.map((type) => [type, { delivery: type }])),
};

/** `messaging-automation fault`: lists, adds and removes the fault rules of a workspace. */
export const faultCommand: CliCommand = {
  define: () =>
    withControlOptions(
      new Command('fault').description('print, add or remove rules that make requests or deliveries fail'),
    )
      .addArgument(new Argument('[action]', 'what to do').choices(['add', 'remove', 'clear']))
      .argument(
        '[subject]',
        'what fails: an operation, a type of event, requests or deliveries; or the id of a rule',
      )
      .argument('[kind]', 'how it fails, such as status, latency, reset, stall or tamper')
      .option('--times <count>', 'how often to inject it (default: until it is removed)', number)
      .option('--nth <number>', 'inject it only into the nth of them, counted from 1', number)
      .option('--every <number>', 'inject it into every nth of them', number)
      .option('--probability <share>', 'inject it by chance, from 0 to 1', number)
      .option('--subscription-id <id>', 'of deliveries: only to this subscription')
      .option('--status <status>', 'of the kind status: the HTTP status', number)
      .option('--retry-after <duration>', 'of the kinds status and rate_limit: the Retry-After, such as 2s')
      .option('--duration <duration>', 'of the kind latency: how late the response is, such as 2s')
      .option('--when <moment>', 'before_commit, after_commit, before_receipt or after_receipt')
      .option('--change <change>', 'of the kind drift: how the response differs, such as remove')
      .option('--field <name>', 'of the kind drift: the field that differs')
      .option('--part <part>', 'of the kind tamper: signature or body'),
  examples: `  $ messaging-automation fault
  $ messaging-automation fault add transactional.send status --status 503 --times 2
  $ messaging-automation fault add requests latency --duration 2s --probability 0.2
  $ messaging-automation fault add message.received tamper --part signature
  $ messaging-automation fault add deliveries reset --when after_receipt
  $ messaging-automation fault remove fault_1
  $ messaging-automation fault clear`,
  notes: `Without an action it prints the rules of the workspace that the key opens, and how
often each was injected. The operations are those of the client, such as
contacts.upsert, transactional.send and events.track. The kinds of requests are
status, rate_limit, latency, reset, stall, malformed_json and drift; deliveries have
no rate_limit, and also tamper, duplicate and reorder.

Exit codes:
  0  it printed, added or removed the rules
  1  the server does not respond, or refuses
  2  the command line is wrong`,
  run: fault,
};

async function fault(
  terminal: Terminal,
  action: string | undefined,
  subject: string | undefined,
  kind: string | undefined,
  options: FaultOptions,
): Promise<void> {
  const { url, apiKey, json, ...rule } = options;
  if (action !== 'add' && (kind !== undefined || givenOf(rule).length > 0))
    throw new UsageError(
      'A kind and flags are only for a new rule, as in: fault add transactional.send status --status 503.',
    );
  const surface = controlClientOf(terminal, options);
  if (action === 'add') await add(surface, ruleOf(subject, kind, rule));
  else if (action === 'remove') await remove(surface, subject);
  else if (action === 'clear') await clear(surface, subject);
  else await list(terminal, surface, json);
}

function ruleOf(subject: string | undefined, kind: string | undefined, options: FaultOptions): object {
  if (subject === undefined || kind === undefined)
    throw new UsageError(
      'fault add needs what fails and how, as in: fault add transactional.send status --status 503.',
    );
  const { times, nth, every, probability, subscriptionId, ...effect } = options;
  const about = Object.hasOwn(subjects, subject) ? subjects[subject] : { operation: subject };
  return { ...about, times, nth, every, probability, subscriptionId, fault: { kind, ...effect } };
}

async function add(surface: ControlClient, body: object): Promise<void> {
  const response = await surface
    .ask(control.faults.add, { body, expected: 'rule' })
    .catch((error: unknown) => {
      throw error instanceof CommandFailure ? new CommandFailure(inOwnWords(error), error.facts) : error;
    });
  surface.report(lineOf(response), response);
}

/** What the server says of a rule, with the words of the command line for the fields of the rule. */
function inOwnWords({ message }: CommandFailure): string {
  return message
    .replace(/\bfault\.kind\b/g, 'the kind')
    .replace(/\bfault\.(\w+)/g, (_, field: string) => `--${field.replace(/[A-Z]/g, '-$&').toLowerCase()}`)
    .replace(/: operation must be/, ': the subject must be');
}

async function remove(surface: ControlClient, id: string | undefined): Promise<void> {
  if (id === undefined) throw new UsageError('fault remove needs the id of a rule, which `fault` prints.');
  await surface.ask(control.faults.remove, { path: { id } });
  surface.report(`${id} is removed.`, { removed: id });
}

async function clear(surface: ControlClient, subject: string | undefined): Promise<void> {
  if (subject !== undefined)
    throw new UsageError('fault clear removes all rules. For one: fault remove <id>.');
  await surface.ask(control.faults.clear);
  surface.report('All fault rules are removed.', { removed: 'all' });
}

async function list(terminal: Terminal, surface: ControlClient, json: boolean | undefined): Promise<void> {
  const rules = await surface.list(control.faults.list);
  if (rules.length === 0 && !json) terminal.print('There is no fault rule.');
  for (const rule of rules) surface.report(lineOf(rule), rule);
}

/** A rule as a person reads it. */
function lineOf({ id, rule, matched, injected }: FaultState): string {
  const { operation, delivery, fault, ...selection } = Object(rule);
  const { kind, ...effect } = Object(fault);
  const details = Object.entries({ ...effect, ...selection }).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const subject = operation === undefined ? `deliveries: ${delivery}` : `requests: ${operation}`;
  return `${id}  ${subject}  ${[kind, ...details].join(' ')}  injected into ${injected} of ${matched}`;
}

function number(text: string): number {
  if (text.trim() === '' || !Number.isFinite(Number(text)))
    throw new InvalidArgumentError('It must be a number.');
  return Number(text);
}
