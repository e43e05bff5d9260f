import type { FieldProblem } from '../../foundation/field-problem.js';
import { isObject } from '../../foundation/is-object.js';
import { withoutUndefined } from './validate-value.js';
import type { TemplateDefinition } from './workspace.js';
import type { Body, Prepared } from './workspace-rules.js';

/** The templates of a workspace, by name. */
export type NamedTemplates = ReadonlyMap<string, TemplateDefinition>;

/** Translates a template's name and its named variables into the id and the numbers that the service expects. */
export function prepareSend(templates: NamedTemplates, body: Body): Prepared {
  const { template: name, variables = {}, ...rest } = body;
  if (name === undefined) return { body, problems: [] }; // sent by id, as without a workspace
  if (rest.templateId !== undefined)
    return refused(
      body,
      'templateId',
      'must not be combined with template: name the template by one of the two',
    );
  const template = typeof name === 'string' ? templates.get(name) : undefined;
  if (template === undefined) {
    const names = [...templates.keys()].join(', ') || 'none';
    return refused(body, 'template', `is not a template of the workspace, which has ${names}`);
  }
  if (!isObject(variables)) return refused(body, 'variables', 'must be an object');
  const names = template.variables ?? [];
  const numbered = Object.fromEntries(names.map((variable, index) => [`${index + 1}`, variables[variable]]));
  return {
    body: { ...rest, templateId: template.id, ...(names.length > 0 && { variables: numbered }) },
    problems: problemsWithVariables(names, variables),
  };
}

function problemsWithVariables(names: readonly string[], variables: Body): readonly FieldProblem[] {
  const missing = names
    .filter((name) => typeof variables[name] !== 'string')
    .map((name) => ({ field: `variables.${name}`, message: 'is required and must be a string' }));
  const unknown = Object.keys(withoutUndefined(variables))
    .filter((name) => !names.includes(name))
    .map((name) => ({
      field: `variables.${name}`,
      message: 'is not a variable of this template in the workspace; remove it or check its spelling',
    }));
  return [...missing, ...unknown];
}

function refused(body: Body, field: string, message: string): Prepared {
  return { body, problems: [{ field, message }] };
}
