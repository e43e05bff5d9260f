import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import {
  type ConformanceChange,
  type ConformanceDeliveries,
  type ConformanceOptions,
  type ConformanceReport,
  checkConformance,
  compareReports,
} from '../../conformance/index.js';
import { longestCall } from '../running-server/control-client.js';
import { control } from '../running-server/operations.js';
import {
  baseUrlOf,
  type ControlOptions,
  controlClientOf,
  givenOf,
  variable,
} from '../running-server/options.js';
import { failing, messageOf, UsageError } from '../terminal/failures.js';
import { type CliCommand, statusLine, stopSignal, type Terminal } from '../terminal/terminal.js';
import { wholeNumber } from '../terminal/time.js';
import { changesTable, conformanceTable, lostConnections, withFlags } from './conformance-table.js';

interface CommandOptions
  extends ControlOptions,
    Pick<
      ConformanceOptions,
      'otherApiKey' | 'exhaustedApiKey' | 'events' | 'webhooks' | 'webhookUrl' | 'timeout'
    >,
    Pick<ConformanceDeliveries, 'port' | 'wait' | 'retryWait' | 'lateResponse'> {
  readonly sendPhone?: string;
  readonly sendTemplate?: string;
  readonly variable: Readonly<Record<string, string>>;
  readonly unapprovedTemplate?: string;
  readonly rejectedPhone?: string;
  readonly provoke?: 'control' | 'by-hand';
  readonly receive?: string;
  readonly baseline?: string;
}

/** The exit code if nothing is broken, but the check did not see what some endpoints do. */
const unchecked = 3;

/** The exit code of an interrupted process. */
const interrupted = 130;

/** `messaging-automation conformance`: checks a deployment against the service's document. */
export const conformanceCommand: CliCommand = {
  define: () =>
    new Command('conformance')
      .description('check any deployment against the API documentation, and print which statements it breaks')
      .option(
        '--url <url>',
        'URL of the deployment, with or without /api (default: $MESSAGING_AUTOMATION_BASE_URL)',
      )
      .option('--api-key <key>', 'key of the workspace to work in (default: $MESSAGING_AUTOMATION_API_KEY)')
      .option('--other-api-key <key>', 'key of another workspace, to check that it has no access to this one')
      .option('--exhausted-api-key <key>', 'key of a workspace without quota, to check that it refuses sends')
      .option('--send-phone <phone>', 'phone to send one message to (default: send nothing)')
      .option('--send-template <id>', 'the approved template to send')
      .option('--variable <n=value>', 'value for a placeholder; repeatable', variable, {})
      .option('--unapproved-template <id>', 'a template that must be refused')
      .option('--rejected-phone <phone>', 'a phone that the chat provider rejects')
      .option('--no-events', 'track no events (named conformance_check)')
      .option('--no-webhooks', 'create no subscriptions')
      .option(
        '--webhook-url <url>',
        'URL of the subscriptions, which are removed at once (default: under example.invalid)',
      )
      .addOption(
        new Option(
          '--provoke <how>',
          "check deliveries: 'control' uses a reference server's control surface, 'by-hand' prints what to write",
        ).choices(['control', 'by-hand']),
      )
      .option(
        '--receive <url>',
        'public URL at which deliveries reach this machine (default: this machine itself)',
      )
      .option('--port <number>', 'port to receive deliveries on (default: any that is free)', wholeNumber)
      .option('--wait <seconds>', 'how long to wait for a delivery (default: 10, by hand 120)', seconds)
      .option(
        '--retry-wait <seconds>',
        'how long to wait for the retries of a delivery; always waits for all of it (default: 0)',
        seconds,
      )
      .option(
        '--no-late-response',
        'respond to every delivery in time (default: with --retry-wait, to one of them too late)',
      )
      .option('--timeout <seconds>', 'how long a request may take (default: 10)', seconds)
      .option('--baseline <file>', 'earlier report: print only what changed since, with other exit codes')
      .option('--json', 'print the report as JSON', false),
  examples: `  $ messaging-automation conformance --url https://messaging.example.com/api --api-key "$KEY"
  $ messaging-automation conformance --no-events --no-webhooks
  $ messaging-automation conformance --send-phone +15551234567 --send-template order_update --variable 1=Ada
  $ messaging-automation conformance --provoke control --retry-wait 90
  $ messaging-automation conformance --provoke by-hand --receive https://tunnel.example.com --port 8080
  $ messaging-automation conformance --json > report.json
  $ messaging-automation conformance --baseline report.json
  $ messaging-automation conformance --json | jq '.checks[] | select(.verdict == "broken")'`,
  notes: `The check changes no existing data. It creates contacts with phone numbers
reserved for fiction, and subscriptions to a host that cannot exist, and removes
them at the end, also after Ctrl-C. It sends no message without --send-phone and
--send-template. After a 429 it waits as long as the response says. For a statement
that it cannot check, the report names the missing option. --json prints the
report as one object.

--baseline compares this run with the report of an earlier one, of the same deployment
or of another, such as your test double. It prints only what changed. With --json, it
prints the report with a list \`changes\`, which is a baseline for a later run.

Exit codes:
  0    no statement is broken, and the check saw each endpoint work
  1    at least one statement is broken
  2    the command line is wrong
  3    no statement is broken, but the check did not see some endpoints work; the
       report names them
  130  Ctrl-C ended it

With --baseline:
  0  nothing changed
  1  something changed, for the worse or the better
  2  the command line is wrong, or the baseline is not a report
  3  nothing changed, but a check of the earlier run could not run now`,
  run: check,
};

async function check(terminal: Terminal, options: CommandOptions): Promise<number> {
  const baseline = options.baseline === undefined ? undefined : await readBaseline(options.baseline);
  const signal = stopSignal(terminal);
  const progress = statusLine(terminal);
  let checks = 0;
  try {
    const report = await checkConformance({
      ...conformanceOptions(terminal, options, signal),
      signal,
      clock: terminal.clock,
      onCheck: ({ section, statement }) => {
        checks += 1;
        progress.show(`  ${checks}  ${section} ${statement}`);
      },
    }).finally(progress.clear);
    const changes = baseline && compareReports(baseline, report);
    if (options.json) terminal.print(...JSON.stringify({ ...report, changes }, null, 2).split('\n'));
    else {
      const table = changes
        ? changesTable(terminal, options.baseline ?? '', changes)
        : conformanceTable(terminal, report);
      terminal.print(...table, ...lostConnections(terminal, report));
    }
    if (changes) return exitCodeOf(changes);
    if (report.totals.broken > 0) return 1;
    return report.uncheckedEndpoints.length === 0 ? 0 : unchecked;
  } catch (error) {
    if (signal.aborted) {
      terminal.complain('Stopped. The check removed what it created, as far as the deployment allowed.\n');
      return interrupted;
    }
    const { name, syscall }: { name?: unknown; syscall?: unknown } = Object(error);
    // An option is invalid, or the operating system refused something, such as a port.
    if (name === 'ConfigurationError' || syscall !== undefined)
      throw new UsageError(withFlags(messageOf(error)));
    throw error;
  }
}

/** @throws UsageError if the file is not a report. */
async function readBaseline(file: string): Promise<ConformanceReport> {
  const text = await readFile(file, 'utf8').catch(failing('--baseline cannot be read.'));
  try {
    const baseline: ConformanceReport = JSON.parse(text);
    compareReports(baseline, baseline);
    return baseline;
  } catch (error) {
    const reason = messageOf(error).replace(/^compareReports: the baseline/, 'It');
    throw new UsageError(`--baseline ${file} cannot be used. ${reason}`);
  }
}

/** The exit code by what changed. That more could be checked is no change. */
function exitCodeOf(changes: readonly ConformanceChange[]): number {
  const kinds = changes.map(({ change }) => change).filter((change) => change !== 'checked');
  if (kinds.some((change) => change !== 'unchecked')) return 1;
  return kinds.length === 0 ? 0 : unchecked;
}

function conformanceOptions(
  terminal: Terminal,
  options: CommandOptions,
  signal: AbortSignal,
): ConformanceOptions {
  const { env } = terminal;
  const { url = env.MESSAGING_AUTOMATION_BASE_URL, apiKey = env.MESSAGING_AUTOMATION_API_KEY } = options;
  if (!url) throw new UsageError('The URL is missing. Pass --url or set $MESSAGING_AUTOMATION_BASE_URL.');
  if (!apiKey)
    throw new UsageError('The API key is missing. Pass --api-key or set $MESSAGING_AUTOMATION_API_KEY.');
  const baseUrl = URL.canParse(url) ? baseUrlOf(url) : url;
  const { sendPhone: phone, sendTemplate: templateId, variable: variables } = options;
  const { unapprovedTemplate: unapprovedTemplateId, rejectedPhone, exhaustedApiKey } = options;
  const isSent = phone !== undefined && templateId !== undefined;
  const ofSends = { phone, templateId, unapprovedTemplateId, rejectedPhone, exhaustedApiKey, ...variables };
  if (!isSent && givenOf(ofSends).length > 0) {
    throw new UsageError('To check sends, pass both --send-phone and --send-template.');
  }
  const { provoke, receive, port, wait, retryWait, lateResponse } = options;
  if (provoke === undefined && givenOf({ receive, port, wait, retryWait }).length > 0) {
    throw new UsageError('To check deliveries, pass --provoke control or --provoke by-hand.');
  }
  const byHand = provoke === 'by-hand';
  const askPerson: ConformanceDeliveries['provoke'] = ({ body }) =>
    terminal.complain(`\nNow send this text to the workspace from a phone: ${body}\n`);
  const askServer: ConformanceDeliveries['provoke'] = async (body) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(longestCall)]);
    await controlClientOf(terminal, options).ask(control.simulate.inboundMessage, {
      body,
      signal: limit,
    });
  };
  const send = isSent ? { phone, templateId, variables, unapprovedTemplateId, rejectedPhone } : undefined;
  const deliveries = provoke && {
    provoke: byHand ? askPerson : askServer,
    url: receive,
    port,
    wait: wait ?? (byHand ? 120_000 : undefined),
    retryWait,
    lateResponse,
    byHand,
  };
  const { otherApiKey, events, webhooks, webhookUrl, timeout } = options;
  const ofDeployment = { baseUrl, apiKey, otherApiKey, exhaustedApiKey, timeout };
  return { ...ofDeployment, events, webhooks, webhookUrl, send, deliveries };
}

/** Reads a time in seconds, in milliseconds. */
function seconds(text: string): number {
  return wholeNumber(text) * 1_000;
}
