import { Argument, Command, Option } from 'commander';
import { type ControlOptions, deploymentOf, withControlOptions } from '../running-server/options.js';
import { type CliCommand, styled, type Terminal } from '../terminal/terminal.js';
import { type ChangeSincePull, mergeTemplates } from './merge-templates.js';
import { readFiles } from './templates-files.js';

interface TemplatesOptions extends ControlOptions {
  readonly out: string;
  readonly check: boolean;
  readonly force: boolean;
  readonly prune: boolean;
}

/** `messaging-automation templates pull`: writes a typed workspace with the templates of a deployment. */
export const templatesCommand: CliCommand = {
  define: () =>
    withControlOptions(
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
      .option('--prune', 'remove templates that the service does not list', false),
  examples: `  $ messaging-automation templates pull --out src/templates.ts
  $ messaging-automation templates pull --out src/templates.ts --check     # in CI
  $ messaging-automation templates pull --out src/templates.ts --json | jq '.changes'`,
  notes: `Works with any deployment. It writes a TypeScript file that defines a workspace
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
  2  the command line is wrong`,
  run: pull,
};

async function pull(terminal: Terminal, _action: string, options: TemplatesOptions): Promise<number> {
  const { out, check, force, prune, json } = options;
  // As the other commands do, it calls any server over http, and reads templates of any shape.
  const settings = { allowInsecureHttp: true, validation: 'off' } as const;
  const { client, shown, report, failure } = deploymentOf(terminal, options, settings);
  const files = await readFiles(out);
  if (files.isForeign && !force) {
    throw failure(
      `${out} was not written by this command, so it was not changed. Name another file, or pass --force to overwrite it.`,
    );
  }
  const list = await client.templates.list();
  const { templates, changes, leftOut } = mergeTemplates(list, files.templates, prune);
  const isCurrent = files.have(templates);
  const written = !isCurrent && !check;
  if (written) await files.write(templates);
  if (!json) {
    for (const change of changes) terminal.print(lineOf(terminal, change, shown));
    for (const { id = 'an entry', reason } of leftOut) terminal.print(shown(`left out  ${id}: ${reason}`));
  }
  const outcome = isCurrent ? 'is up to date' : written ? 'is written' : 'is not up to date';
  const count = templates.length;
  const result = { file: out, templates: count, changes, leftOut, written };
  report(`${out} ${outcome}: ${count === 1 ? '1 template' : `${count} templates`}`, result);
  return check && (!isCurrent || changes.length > 0) ? 1 : 0;
}

const styles = { added: 'green', missing: 'yellow', removed: 'red', changed: 'yellow' } as const;

function lineOf(terminal: Terminal, change: ChangeSincePull, shown: (text: string) => string): string {
  const word = change.change === 'variables' || change.change === 'text' ? 'changed' : change.change;
  return `${styled(terminal, styles[word], word.padEnd(8))}  ${shown(change.id + detailOf(change))}`;
}

function detailOf(change: ChangeSincePull): string {
  switch (change.change) {
    case 'added':
      return change.variables.length === 0 ? '' : `, with ${listOf(change.variables)}`;
    case 'missing':
      return ': the service does not list it; --prune removes it';
    case 'removed':
      return '';
    case 'variables':
      return `: variables ${listOf(change.after)} (were ${listOf(change.before)})`;
    case 'text':
      return ': other text';
  }
}

function listOf(variables: readonly string[]): string {
  return variables.join(', ') || 'none';
}
