import { Command, InvalidArgumentError, Option } from 'commander';
import {
  type ConformanceDeliveries,
  type ConformanceOptions,
  checkConformance,
} from '../../conformance/index.js';
import { baseUrlOf } from '../running-server/deployment-root.js';
import type { CliCommand } from '../terminal/cli-command.js';
import { messageOf, UsageError } from '../terminal/failures.js';
import { printableLines } from '../terminal/printable.js';
import { StatusLine, type Terminal } from '../terminal/terminal.js';
import { conformanceTable, withFlag } from './conformance-table.js';
import { type Provocation, provocations, provokeBy } from './provoke-deliveries.js';

interface CommandOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly otherApiKey?: string;
  readonly exhaustedApiKey?: string;
  readonly sendPhone?: string;
  readonly sendTemplate?: string;
  readonly variable: Readonly<Record<string, string>>;
  readonly unapprovedTemplate?: string;
  readonly rejectedPhone?: string;
  readonly events: boolean;
  readonly webhooks: boolean;
  readonly webhookUrl?: string;
  readonly provoke?: Provocation;
  readonly receive?: string;
  readonly port?: number;
  readonly wait?: number;
  readonly retryWait?: number;
  readonly lateAnswer: boolean;
  readonly timeout?: number;
  readonly json: boolean;
}

/** The exit code if nothing is broken, but the check did not see what some endpoints do. */
const unchecked = 3;

/** The exit code of an interrupted process. */
const interrupted = 130;

/** `messaging-automation conformance`: checks a deployment against the service's document. */
export const conformanceCommand: CliCommand = {
  define: () =>
    new Command('conformance')
      .description(
        "check any deployment against the service's document, and print what held and what did not",
      )
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
        ).choices(provocations),
      )
      .option(
        '--receive <url>',
        'public URL at which deliveries reach this machine (default: this machine itself)',
      )
      .option('--port <number>', 'port to receive deliveries on (default: any that is free)', wholeNumber)
      .option('--wait <seconds>', 'how long to wait for a delivery (default: 10, by hand 120)', wholeNumber)
      .option(
        '--retry-wait <seconds>',
        'how long to wait for the retries of a delivery; always waits for all of it (default: 0)',
        wholeNumber,
      )
      .option('--no-late-answer', 'answer no delivery too late; with --retry-wait, the check does that once')
      .option('--timeout <seconds>', 'how long a request may take (default: 10)', wholeNumber)
      .option('--json', 'print the report as JSON', false),
  examples: `  $ messaging-automation conformance --url https://messaging.example.com/api --api-key "$KEY"
  $ messaging-automation conformance --no-events --no-webhooks
  $ messaging-automation conformance --send-phone +15551234567 --send-template order_update --variable 1=Ada
  $ messaging-automation conformance --provoke control --retry-wait 90
  $ messaging-automation conformance --provoke by-hand --receive https://tunnel.example.com --port 8080
  $ messaging-automation conformance --json | jq '.checks[] | select(.verdict == "broken")'
`,
  notes: `
The check changes no existing data. It creates contacts with phone numbers
reserved for fiction, and subscriptions to a host that cannot exist, and removes
them at the end, also after Ctrl-C. It sends no message without --send-phone and
--send-template. After a 429 it waits as long as the answer says. For a statement
that it cannot check, the report names the missing option. --json prints the
report as one object.

Exit codes:
  0    no statement is broken, and the check saw each endpoint do what it is for
  1    at least one statement is broken
  2    the command line is wrong
  3    no statement is broken, but the check did not see what some endpoints do;
       the report names them
  130  Ctrl-C ended it`,
  run: check,
};

async function check(terminal: Terminal, options: CommandOptions): Promise<number> {
  const controller = new AbortController();
  void terminal.stopRequested().then(() => controller.abort());
  const progress = terminal.screen ? new StatusLine(terminal) : undefined;
  let checks = 0;
  try {
    const report = await checkConformance({
      ...conformanceOptions(terminal, options),
      signal: controller.signal,
      clock: terminal.clock,
      onCheck: ({ section, statement }) => {
        checks += 1;
        progress?.show(`  ${checks}  ${section} ${statement}`);
      },
    });
    progress?.clear();
    terminal.print(
      options.json ? printableLines(JSON.stringify(report, null, 2)) : conformanceTable(terminal, report),
    );
    if (report.totals.broken > 0) return 1;
    return report.uncheckedEndpoints.length === 0 ? 0 : unchecked;
  } catch (error) {
    progress?.clear();
    if (controller.signal.aborted) {
      terminal.complain('Stopped. The check removed what it created, as far as the deployment allowed.\n');
      return interrupted;
    }
    if (isMistaken(error)) throw new UsageError(withFlag(messageOf(error)));
    throw error;
  }
}

function conformanceOptions(terminal: Terminal, options: CommandOptions): ConformanceOptions {
  const url = options.url ?? terminal.env.MESSAGING_AUTOMATION_BASE_URL;
  const apiKey = options.apiKey ?? terminal.env.MESSAGING_AUTOMATION_API_KEY;
  if (!url) throw new UsageError('The URL is missing. Pass --url or set $MESSAGING_AUTOMATION_BASE_URL.');
  if (!apiKey)
    throw new UsageError('The API key is missing. Pass --api-key or set $MESSAGING_AUTOMATION_API_KEY.');
  const baseUrl = URL.canParse(url) ? baseUrlOf(url) : url;
  return {
    baseUrl,
    apiKey,
    otherApiKey: options.otherApiKey,
    exhaustedApiKey: options.exhaustedApiKey,
    send: sendOptions(options),
    deliveries: deliveryOptions(terminal, options, { baseUrl, apiKey }),
    events: options.events,
    webhooks: options.webhooks,
    webhookUrl: options.webhookUrl,
    timeout: milliseconds(options.timeout),
  };
}

function sendOptions(options: CommandOptions): ConformanceOptions['send'] {
  const { sendPhone: phone, sendTemplate: templateId, unapprovedTemplate, rejectedPhone } = options;
  if (phone !== undefined && templateId !== undefined) {
    const variables = options.variable;
    return { phone, templateId, variables, unapprovedTemplateId: unapprovedTemplate, rejectedPhone };
  }
  const others = [phone, templateId, unapprovedTemplate, rejectedPhone, options.exhaustedApiKey];
  if (others.some((option) => option !== undefined) || Object.keys(options.variable).length > 0) {
    throw new UsageError('To check sends, pass both --send-phone and --send-template.');
  }
  return undefined;
}

function deliveryOptions(
  terminal: Terminal,
  { provoke, receive, port, wait, retryWait, lateAnswer }: CommandOptions,
  deployment: { readonly baseUrl: string; readonly apiKey: string },
): ConformanceDeliveries | undefined {
  if (provoke === undefined) {
    if ([receive, port, wait, retryWait].some((option) => option !== undefined)) {
      throw new UsageError('To check deliveries, pass --provoke control or --provoke by-hand.');
    }
    return undefined;
  }
  return {
    provoke: provokeBy(provoke, terminal, deployment),
    url: receive,
    port,
    wait: milliseconds(wait ?? (provoke === 'by-hand' ? 120 : undefined)),
    retryWait: milliseconds(retryWait),
    lateAnswer,
    byHand: provoke === 'by-hand',
  };
}

const milliseconds = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);

/** Whether an option is invalid, or the operating system refused something, such as a port. */
function isMistaken(error: unknown): boolean {
  const { name, syscall }: { name?: unknown; syscall?: unknown } = Object(error);
  return name === 'ConfigurationError' || syscall !== undefined;
}

function variable(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Write it as 1=Ada.');
  return { ...before, [name]: value };
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
