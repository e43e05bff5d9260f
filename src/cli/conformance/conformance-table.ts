import type { ConformanceChange, ConformanceCheck, ConformanceReport } from '../../conformance/index.js';
import { explainConnection } from '../../foundation/connection-causes.js';
import { printable, styled, type Terminal } from '../terminal/terminal.js';
import { wayTo } from '../terminal/way.js';

const marks = {
  held: { word: '✓ held', style: 'green' },
  broken: { word: '✗ broken', style: 'red' },
  not_shown: { word: '· left open', style: 'cyan' },
  not_checked: { word: '- not checked', style: 'dim' },
} as const;

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

/** The flags of the options that a report or an error names. */
const flags: Readonly<Record<string, string>> = {
  baseUrl: '--url',
  apiKey: '--api-key',
  otherApiKey: '--other-api-key',
  exhaustedApiKey: '--exhausted-api-key',
  send: '--send-phone, --send-template',
  'send.phone': '--send-phone',
  'send.templateId': '--send-template',
  'send.variables': '--variable',
  'send.unapprovedTemplateId': '--unapproved-template',
  'send.rejectedPhone': '--rejected-phone',
  deliveries: '--provoke',
  'deliveries.url': '--receive',
  'deliveries.retryWait': '--retry-wait',
  'deliveries.lateResponse': 'leave out --no-late-response',
  webhookUrl: '--webhook-url',
  timeout: '--timeout',
  events: 'leave out --no-events',
  webhooks: 'leave out --no-webhooks',
};

/** Replaces the names of options by their flags: in brackets, and at the beginning of an error. */
export function withFlags(text: string): string {
  return text.replace(/(?:^checkConformance: |(?<=\())([a-zA-Z.]+)/g, (_, name: string) =>
    Object.hasOwn(flags, name) ? `${flags[name]}` : name,
  );
}

/** A report as text: section by section, one line for each statement, and the totals. */
export function conformanceTable(terminal: Terminal, report: ConformanceReport): readonly string[] {
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
  return ['', title, ...lines, '', ...footer(terminal, report), ''];
}

/** Why connections failed, each reason once, and what to do: a line for each. */
export function lostConnections(
  terminal: Terminal,
  { checks, baseUrl }: ConformanceReport,
): readonly string[] {
  const codes = new Set(
    checks.flatMap(({ seen }) => /the connection failed \((\w+)\)/.exec(seen)?.[1] ?? []),
  );
  const way = wayTo(baseUrl, terminal, 'Start the deployment, or correct --url.');
  return [...codes]
    .map((code) => explainConnection({ code }, way).sentences)
    .filter(Boolean)
    .map((sentences) => `  ${styled(terminal, 'yellow', 'no connection')}  ${printable(sentences)}`);
}

/** Marks of changes, from those that matter most. */
const changeMarks = {
  broken: ['✗ broken', 'red'],
  fixed: ['✓ fixed', 'green'],
  changed: ['~ changed', 'yellow'],
  new: ['+ new', 'cyan'],
  gone: ['- gone', 'yellow'],
  unchecked: ['? unchecked', 'yellow'],
  checked: ['· checked', 'dim'],
} as const;

/** The differences to a baseline as text: a line for each statement, and below it what was before. */
export function changesTable(
  terminal: Terminal,
  baseline: string,
  changes: readonly ConformanceChange[],
): readonly string[] {
  if (changes.length === 0) return [`Nothing has changed since ${baseline}.`];
  const names = Object.keys(changeMarks);
  const sorted = changes.toSorted((one, other) => names.indexOf(one.change) - names.indexOf(other.change));
  const describe = (check?: ConformanceCheck) =>
    check === undefined
      ? 'not in the report'
      : `${marks[check.verdict].word.slice(2)}, ${withFlags(check.seen)}`;
  return [
    `Changes since ${baseline}: ${changes.length}`,
    ...sorted.flatMap(({ change, section, statement, before, after }) => {
      const [word, style] = changeMarks[change];
      return [
        `  ${styled(terminal, style, word.padEnd(markWidth))}  ${section} ${statement}`,
        `${' '.repeat(markWidth + 4)}now ${describe(after)}; before ${describe(before)}`,
      ];
    }),
  ];
}

function linesOf(terminal: Terminal, check: ConformanceCheck, width: number): readonly string[] {
  const { verdict, statement, seen, expected } = check;
  const { word, style } = marks[verdict];
  const column = `  ${styled(terminal, style, word.padEnd(markWidth))}  ${statement.padEnd(width)}  `;
  const words = withFlags(seen);
  const text = verdict === 'not_checked' ? styled(terminal, 'dim', words) : words;
  if (expected === undefined) return [column + text];
  const indent = ' '.repeat(markWidth + width + 6);
  return [
    column + styled(terminal, style, text),
    `${indent}${styled(terminal, 'dim', `expected ${withFlags(expected)}`)}`,
  ];
}

function footer(
  terminal: Terminal,
  { totals, requests, rateLimited, leftBehind, uncheckedEndpoints }: ConformanceReport,
): readonly string[] {
  const counts = (['held', 'broken', 'not_shown', 'not_checked'] as const).map((verdict) => {
    const { word, style } = marks[verdict];
    return styled(terminal, totals[verdict] === 0 ? 'dim' : style, `${totals[verdict]} ${word.slice(2)}`);
  });
  const { responses, waited } = rateLimited;
  const seconds = (waited / 1000).toFixed(1);
  const yellow = (text: string) => `  ${styled(terminal, 'yellow', text)}  `;
  return [
    `  ${counts.join('   ')}   in ${requests} requests`,
    ...(responses === 0
      ? []
      : [`  responds with 429: ${responses}, for which the check waited ${seconds} s`]),
    ...uncheckedEndpoints.map(
      (endpoint) =>
        `${yellow('not checked')}whether ${endpoint} does what it is for; see its statements in §4`,
    ),
    ...leftBehind.map((what) => yellow('left behind') + what),
  ];
}
