import { Argument, Command } from 'commander';
import type { TemplateSeed } from '../../server/index.js';
import type { ControlClient } from '../running-server/control-client.js';
import { control } from '../running-server/operations.js';
import {
  type ControlOptions,
  controlClientOf,
  givenOf,
  withControlOptions,
} from '../running-server/options.js';
import { CommandFailure, UsageError } from '../terminal/failures.js';
import { type CliCommand, shownArgument, type Terminal } from '../terminal/terminal.js';

const statuses = ['approved', 'pending', 'rejected', 'paused'];

/** What a line shows of a template. */
type Template = Pick<TemplateSeed, 'id' | 'status' | 'body'>;

interface TemplateOptions extends ControlOptions {
  readonly body?: string;
  readonly name?: string;
  readonly language?: string;
}

/** `messaging-automation template`: prints, adds and changes the templates of a workspace. */
export const templateCommand: CliCommand = {
  define: () =>
    withControlOptions(
      new Command('template').description('print, add, approve or pause templates of a workspace'),
    )
      .argument('[id]', 'the id of the template')
      .addArgument(new Argument('[status]', 'its new status').choices(statuses))
      .option('--body <text>', 'its new text, with placeholders such as {{1}}')
      .option('--name <name>', 'its new name')
      .option('--language <code>', 'its new language, such as en'),
  examples: `  $ messaging-automation template
  $ messaging-automation template order_update paused       # the next send of it is refused
  $ messaging-automation template order_update approved
  $ messaging-automation template welcome --body 'Hello {{1}}'   # adds it, if it is new`,
  notes: `Without an id, it prints all templates of the workspace that the key opens, and with
only an id, that template. A template that is not approved cannot be sent. A new
template is approved, if you pass no status.

Exit codes:
  0  it printed the templates, or changed one
  1  there is no such template, or the server does not respond or refuses
  2  the command line is wrong`,
  run: template,
};

async function template(
  terminal: Terminal,
  id: string | undefined,
  status: string | undefined,
  { body, name, language, ...options }: TemplateOptions,
): Promise<void> {
  const change = { status, body, name, language };
  const isChange = givenOf(change).length > 0;
  if (id === undefined && isChange) throw new UsageError('Pass the id of the template to change.');
  const surface = controlClientOf(terminal, options);
  const known = await surface.list(control.templates.list);
  if (!isChange) return print(surface, wanted(known, id));
  const isNew = !known.some((each) => each.id === id);
  if (isNew && body === undefined) throw unknownTemplate(known, `${id}`);
  const response = isNew
    ? await surface.ask(control.templates.put, { body: { id, ...change }, expected: 'status' })
    : await surface.ask(control.templates.update, {
        path: { id: `${id}` },
        body: change,
        expected: 'status',
      });
  print(surface, [response]);
}

function wanted(known: readonly Template[], id: string | undefined): readonly Template[] {
  if (id === undefined) return known;
  const found = known.filter((each) => each.id === id);
  if (found.length === 0) throw unknownTemplate(known, id);
  return found;
}

function unknownTemplate(known: readonly Template[], id: string): CommandFailure {
  const ids = known.map((each) => shownArgument(`${each.id}`));
  const others = ids.length === 0 ? 'It has none.' : `It has ${ids.join(', ')}.`;
  return new CommandFailure(
    `The workspace has no template ${shownArgument(id)}. ${others} To add one, pass its text with --body.`,
  );
}

function print(surface: ControlClient, templates: readonly Template[]): void {
  for (const each of templates)
    surface.report(`${each.id}  ${each.status}  ${JSON.stringify(each.body)}`, each);
}
