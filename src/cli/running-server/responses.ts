import { createRedactor, type Redact } from '../../contract/redaction.js';
import { printable, type Terminal } from '../terminal/terminal.js';

/** How many characters to show of a text that is not an error of the service. */
const longest = 200;

/** The reason in an error body of any known shape, as one line. Empty for an empty body. */
export function reasonIn(response: string): string {
  const body = parsed(response);
  const { error = body }: { readonly error?: unknown } = Object(body);
  if (typeof error === 'string') return plain(error);
  const { code, message, details }: Readonly<Record<string, unknown>> = Object(error);
  const problems = Array.isArray(details) ? details.map(problemOf).filter(Boolean) : [];
  const why = problems.length > 0 ? problems.join('; ') : message;
  const parts = [code, why].filter((part) => typeof part === 'string');
  return parts.length > 0 ? parts.join(': ') : plain(response);
}

function problemOf(detail: unknown): string {
  const { field, message }: { readonly field?: unknown; readonly message?: unknown } = Object(detail);
  return typeof message === 'string' ? `${field || 'the body'} ${message}` : '';
}

/** The value of a JSON text, or the text itself. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The words of an HTML page or a text, in one line. */
function plain(text: string): string {
  const words = text
    .replace(/<(style|script)\b.*?<\/\1>|<[^>]*>/gis, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words.length > longest ? `${words.slice(0, longest)}…` : words;
}

/** The output of a command. It shows no signing secret, no phone number and none of the command's secrets. */
export interface Output {
  /** Masks a text, and escapes control characters. */
  readonly shown: (text: string) => string;
  /** Writes a value as JSON, with each string and name masked separately: masking the whole text could produce invalid JSON. */
  readonly json: (value: unknown) => string;
  /** Prints a result as a line, or as JSON. */
  readonly report: (line: string, data: object) => void;
}

/** @param secrets - What the output must not show either. */
export function outputOf(
  terminal: Terminal,
  options: { readonly json?: boolean },
  secrets: readonly string[],
): Output {
  const redact = createRedactor(() => secrets);
  const shown = (text: string) => printable(redact(text));
  const json = (value: unknown) => JSON.stringify(masked(value, redact, ''));
  return {
    shown,
    json,
    report: (line: string, data: object) => terminal.print(options.json ? json(data) : shown(line)),
  };
}

/** @param name - The field that holds the value: a number without a plus is a phone number by its name alone. */
function masked(value: unknown, redact: Redact, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, redact, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [redact(key), masked(item, redact, key)]),
    );
  }
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const label = /phone/i.test(name) ? 'phone:' : '';
  const text = String(value);
  const shown = redact(label + text).slice(label.length);
  return shown === text ? value : shown;
}
