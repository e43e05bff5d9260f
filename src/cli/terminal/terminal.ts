import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Command } from 'commander';
import { shellWord } from '../../foundation/shell-word.js';
import type { Clock } from '../../webhooks/index.js';

/**
 * The terminal and the process of a command. A test passes its own. A command prints through {@link terminalLine}, so that no text from
 * outside reaches the terminal as it is.
 */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The machine's clock. */
  readonly clock: Clock;
  /** Whether a person sees the output in colour. */
  readonly colors: boolean;
  /** Whether standard error is a screen, where a line can be overwritten. */
  readonly screen: boolean;
  /** How many characters a line of that screen holds. */
  readonly columns: number;
  /** Whether a person reads a question on standard error, and responds to it on standard input. */
  readonly interactive: boolean;
  /** Writes lines to standard output. */
  print(...lines: readonly string[]): void;
  /** Writes to standard error. Its line ends are our own: a command escapes those from outside by {@link printable}. */
  complain(text: string): void;
  /** Why what was printed could not be written, or has no reader. Resolves to `undefined` if it was written. */
  outputFailure(): Promise<unknown>;
  /** Overwrites the line on the screen of standard error. */
  overwrite(line: string): void;
  /** Standard input and output themselves, for a command that reads, or speaks a protocol over them. */
  streams(): { readonly input: Readable; readonly output: Writable };
  /** Resolves when the user or the system asks the process to stop, or the output has no reader. */
  stopRequested(): Promise<void>;
}

/** A signal that aborts when the process must end. */
export function stopSignal(terminal: Pick<Terminal, 'stopRequested'>): AbortSignal {
  const stopping = new AbortController();
  void terminal.stopRequested().then(() => stopping.abort());
  return stopping.signal;
}

/** Represents ESC in our own styles until the line is printed: a word that no text from outside can hold. */
const styleMark = randomUUID();

/** Styles text if the terminal shows styles. */
export function styled(
  terminal: Pick<Terminal, 'colors'>,
  style: Parameters<typeof styleText>[0],
  text: string,
): string {
  if (!terminal.colors) return text;
  return styleText(style, printable(text), { validateStream: false }).replaceAll('\u001b', styleMark);
}

/** A line as a terminal writes it: with our own styles, and everything else escaped. Each terminal writes by this function alone. */
export function terminalLine(line: string): string {
  return printable(line).replaceAll(styleMark, '\u001b');
}

/** The same for a text whose line ends are our own. */
export function terminalLines(text: string): string {
  return text.split('\n').map(terminalLine).join('\n');
}

/** A line on the screen of standard error that is overwritten. Without a screen, nothing is shown. */
export function statusLine(terminal: Terminal) {
  let isShown = false;
  return {
    show(text: string): void {
      if (!terminal.screen) return;
      isShown = true;
      // A wrapped line could not be overwritten.
      terminal.overwrite(printable(text).slice(0, terminal.columns - 1));
    },
    /** Clears the line. */
    clear(): void {
      if (isShown) terminal.overwrite('');
      isShown = false;
    },
  };
}

/** A command of the program. */
export interface CliCommand {
  /** Its name, arguments and options. */
  readonly define: () => Command;
  /** The command that it is under, if not the program. One of these commands defines that. */
  readonly group?: string;
  /** The examples at the beginning of its help. */
  readonly examples: string;
  /** The end of its help. */
  readonly notes: string;
  /** Does its work with its arguments and its options. Resolves to the exit code. Default: 0. */
  run(terminal: Terminal, ...given: readonly unknown[]): Promise<number> | Promise<void>;
}

/**
 * What no text from outside may write to a terminal: control characters, and the invisible ones that change the direction of
 * the text, or take no room. U+200D remains between the parts of an emoji.
 */
const unprintable =
  /(?!(?<=\p{Extended_Pictographic}|\ufe0f)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes what comes from outside, so that it cannot move the cursor, change a colour, reverse a line, hide or end it. Within JSON the result
 * is the same JSON.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (character) =>
    Array.from({ length: character.length }, (_, place) => character.charCodeAt(place))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** A text as one word of a shell, for a command to copy. What a terminal does not show is written by its code. */
export function shownWord(text: string): string {
  if (printable(text) === text) return shellWord(text);
  return `$'${printable(text.replace(/['\\]/g, '\\$&'))}'`;
}

/** The same for an argument: one that begins with - is no flag after --. */
export function shownArgument(text: string): string {
  return text.startsWith('-') ? `-- ${shownWord(text)}` : shownWord(text);
}

/** A receiver's URL for output, without its query, which may hold a secret. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}
