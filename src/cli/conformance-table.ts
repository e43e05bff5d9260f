import type { ConformanceCheck, ConformanceReport, ConformanceVerdict } from '../conformance/index.js';
import { styled, type Terminal } from './terminal.js';

const marks: Readonly<
  Record<ConformanceVerdict, { readonly word: string; readonly style: Parameters<typeof styled>[1] }>
> = {
  held: { word: '✓ held', style: 'green' },
  broken: { word: '✗ broken', style: 'red' },
  not_shown: { word: '· not shown', style: 'cyan' },
  not_checked: { word: '- not checked', style: 'dim' },
};

const markWidth = Math.max(...Object.values(marks).map(({ word }) => word.length));

const sections: Readonly<Record<string, string>> = {
  '§2': 'Resources and their fields',
  '§3': 'States and transitions',
  '§4': 'Endpoints',
  '§5': 'Authentication',
  '§6': 'Events',
  '§7': 'Errors',
  '§8': 'Limits',
};

/** What the command line calls the options that a report names. */
const flags: Readonly<Record<string, string>> = {
  send: '--send-phone, --send-template',
  'send.variables': '--variable',
  'send.unapprovedTemplateId': '--unapproved-template',
  'send.rejectedPhone': '--rejected-phone',
  otherApiKey: '--other-api-key',
  exhaustedApiKey: '--exhausted-api-key',
  deliveries: '--provoke',
  'deliveries.retryWait': '--retry-wait',
  webhookUrl: '--webhook-url',
  events: 'to leave out --no-events',
  webhooks: 'to leave out --no-webhooks',
};

/** A report as a person reads it: section by section, one line a statement, and the totals. */
export function conformanceTable(terminal: Terminal, report: ConformanceReport): string {
  const { checks, baseUrl } = report;
  const width = Math.max(...checks.map(({ statement }) => statement.length));
  const lines = [...new Set(checks.map(({ section }) => section))].flatMap((section) => [
    '',
    `  ${styled(terminal, 'bold', `${section} ${sections[section] ?? ''}`.trimEnd())}`,
    ...checks
      .filter((check) => check.section === section)
      .flatMap((check) => linesOf(terminal, check, width)),
  ]);
  const title = `  ${styled(terminal, 'bold', 'Conformance of')} ${styled(terminal, 'cyan', baseUrl)}`;
  return ['', title, ...lines, '', ...footer(terminal, report), ''].join('\n');
}

function linesOf(terminal: Terminal, check: ConformanceCheck, width: number): readonly string[] {
  const { verdict, statement, seen, expected } = check;
  const { word, style } = marks[verdict];
  const column = `  ${styled(terminal, style, word.padEnd(markWidth))}  ${statement.padEnd(width)}  `;
  const text = verdict === 'not_checked' ? styled(terminal, 'dim', `needs ${needed(seen)}`) : withFlags(seen);
  if (expected === undefined) return [column + text];
  const indent = ' '.repeat(markWidth + width + 6);
  return [
    column + styled(terminal, style, text),
    `${indent}${styled(terminal, 'dim', `expected ${expected}`)}`,
  ];
}

function footer(terminal: Terminal, { totals, requests, leftBehind }: ConformanceReport): readonly string[] {
  const counts = (['held', 'broken', 'not_shown', 'not_checked'] as const).map((verdict) => {
    const text = `${totals[verdict]} ${verdict.replace('_', ' ')}`;
    return totals[verdict] === 0
      ? styled(terminal, 'dim', text)
      : styled(terminal, marks[verdict].style, text);
  });
  const left = leftBehind.map((what) => `  ${styled(terminal, 'yellow', 'left behind')}  ${what}`);
  return [`  ${counts.join('   ')}   in ${requests} requests`, ...left];
}

/** What would be needed: the flags alone, where there are some for it. */
function needed(seen: string): string {
  const [, name = ''] = /\(([a-zA-Z.]+)\)$/.exec(seen) ?? [];
  return flags[name] ?? seen;
}

/** The report names options as programs do. */
function withFlags(text: string): string {
  return text.replace(/\(([a-zA-Z.]+)\)/g, (whole, name: string) =>
    Object.hasOwn(flags, name) ? `(${flags[name]})` : whole,
  );
}
