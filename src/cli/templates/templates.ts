import { Argument, Command, Option } from 'commander';
import { createRedactor } from '../../contract/redaction.js';
import { maskedJson } from '../running-server/answers.js';
import { type ControlOptions, serverOf, withControlOptions } from '../running-server/control-options.js';
import { clientAt } from '../running-server/deployment-root.js';
import { CommandFailure, messageOf } from '../terminal/failures.js';
import { printable } from '../terminal/printable.js';
import { styled, type Terminal } from '../terminal/terminal.js';
import { type LeftOut, listedTemplates } from './listed-templates.js';
import { mergeTemplates, type TemplateChange } from './merge-templates.js';
import { TemplatesFiles } from './templates-files.js';

interface TemplatesOptions extends ControlOptions {
  readonly out: string;
  readonly check: boolean;
  readonly force: boolean;
  readonly prune: boolean;
  readonly json: boolean;
}

const examples = `Examples:
  $ messaging-automation templates pull --out src/templates.ts
  $ messaging-automation templates pull --out src/templates.ts --check     # in CI
  $ messaging-automation templates pull --out src/templates.ts --json | jq '.changes'
`;

const notes = `
Works with any deployment. It writes a TypeScript file that defines a workspace
with the templates of GET /v1/templates, so that the compiler knows each template
and its variables. It prints what changed since the last pull.

A template has the name of its id, and its variables are variable1, variable2 and
so on. Rename them in the file beside it, such as src/templates.names.json, and
pull again: each pull keeps your names. It also keeps templates that the service
does not list, until --prune removes them. It does not overwrite a TypeScript file
that it did not write: use --force.

Exit codes:
  0  the file is up to date
  1  it is not: --check found a change or a missing template, the service gave no
     list, or the file was not overwritten
  2  the command line is wrong`;

/** `messaging-automation templates pull`: writes a typed workspace with the templates of a deployment. */
export function templatesCommand(terminal: Terminal, exitWith: (code: number) => void): Command {
  return withControlOptions(
    new Command('templates').description("write a deployment's templates as a typed workspace"),
  )
    .addArgument(new Argument('<action>', 'what to do with the templates').choices(['pull']))
    .requiredOption('--out <file>', 'the TypeScript file to write')
    .option('--check', 'write nothing, and exit with 1 if something changed', false)
    .addOption(
      new Option('--force', 'overwrite a file that this command did not write')
        .default(false)
        .conflicts('check'),
    )
    .option('--prune', 'remove templates that the service does not list', false)
    .option('--json', 'print what changed as JSON', false)
    .addHelpText('before', examples)
    .addHelpText('after', notes)
    .action(async (_action: string, options: TemplatesOptions) => exitWith(await pull(terminal, options)));
}

async function pull(terminal: Terminal, options: TemplatesOptions): Promise<number> {
  const { out, check, force, prune, json } = options;
  const server = serverOf(terminal, options);
  const redact = createRedactor(() => [server.apiKey]);
  const files = await TemplatesFiles.read(out);
  if (files.refusal !== undefined && !force) throw new CommandFailure(printable(files.refusal));
  // As the other commands do, it calls any server over http, and reads templates of any shape.
  const client = clientAt(server.url, { apiKey: server.apiKey, allowInsecureHttp: true, validation: 'off' });
  const { templates: listed, leftOut } = listedTemplates(
    await client.templates.list().catch((error: unknown) => {
      throw new CommandFailure(printable(messageOf(error)));
    }),
  );
  const { templates, changes } = mergeTemplates(listed, files.templates, prune);
  const isCurrent = files.have(templates);
  if (!isCurrent && !check) await files.write(templates);
  if (json) {
    const written = !isCurrent && !check;
    terminal.print(maskedJson({ file: out, templates: templates.length, changes, leftOut, written }, redact));
  } else {
    const lines = [...changes.map((change) => lineOf(terminal, change)), ...leftOut.map(leftOutLine)];
    for (const [label, line] of lines) terminal.print(`${label}  ${printable(redact(line))}`);
    const count = templates.length === 1 ? '1 template' : `${templates.length} templates`;
    terminal.print(printable(redact(`${out} ${outcome(isCurrent, check)}: ${count}`)));
  }
  return check && (!isCurrent || changes.length > 0) ? 1 : 0;
}

function outcome(isCurrent: boolean, check: boolean): string {
  if (isCurrent) return 'is up to date';
  return check ? 'is not up to date' : 'is written';
}

type Line = readonly [label: string, line: string];

function lineOf(terminal: Terminal, change: TemplateChange): Line {
  const { id } = change;
  switch (change.change) {
    case 'added':
      return [styled(terminal, 'green', 'added   '), `${id}${withVariables(change.variables)}`];
    case 'missing':
      return [
        styled(terminal, 'yellow', 'missing '),
        `${id}: the service does not list it; --prune removes it`,
      ];
    case 'removed':
      return [styled(terminal, 'red', 'removed '), id];
    case 'variables':
      return [
        styled(terminal, 'yellow', 'changed '),
        `${id}: variables ${listOf(change.after)} (were ${listOf(change.before)})`,
      ];
    case 'text':
      return [styled(terminal, 'yellow', 'changed '), `${id}: other text`];
  }
}

function withVariables(variables: readonly string[]): string {
  return variables.length === 0 ? '' : `, with ${listOf(variables)}`;
}

function listOf(variables: readonly string[]): string {
  return variables.join(', ') || 'none';
}

function leftOutLine({ id = 'an entry', reason }: LeftOut): Line {
  return ['left out', `${id}: ${reason}`];
}
