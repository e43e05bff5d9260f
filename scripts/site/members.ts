import {
  type Application,
  Converter,
  type DeclarationReflection,
  type DocumentReflection,
  type ProjectReflection,
  ReflectionGroup,
  ReflectionKind,
} from 'typedoc';
import { taskOf, taskTitles } from './tasks.js';

/** Kinds in the order in which a group shows them: what a reader calls, and then the types around it. */
const kinds = [ReflectionKind.Class, ReflectionKind.Function, ReflectionKind.Variable];

/** Before TypeDoc groups the members by their kind, which it leaves out where a module has groups already. */
const beforeGroupsByKind = 100;

/** Groups the members of each module by task. Logs an error for a member that falls in no group. */
export function groupMembersByTask(application: Application): void {
  application.converter.on(
    Converter.EVENT_RESOLVE_END,
    ({ project }) => {
      for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
        if (module.isDeclaration()) groupMembers(application, project, module);
      }
    },
    beforeGroupsByKind,
  );
}

function groupMembers(
  application: Application,
  project: ProjectReflection,
  module: DeclarationReflection,
): void {
  const groups = taskTitles(module.name).map((title) => new ReflectionGroup(title, module));
  for (const member of module.childrenIncludingDocuments ?? []) {
    const title = taskOf(module.name, sourceOf(project, member), member.name);
    const group = groups.find((candidate) => candidate.title === title);
    if (group === undefined) {
      application.logger.error(
        `${module.name}: ${member.name} (${sourceOf(project, member)}) falls in no group of scripts/site/tasks.ts.`,
      );
    }
    group?.children.push(member);
  }
  for (const { children } of groups) children.sort(byKindAndName);
  module.groups = groups.filter(({ children }) => children.length > 0);
}

/** The file that declares a member, relative to `src`. */
function sourceOf(project: ProjectReflection, member: DeclarationReflection | DocumentReflection): string {
  const target = member.isReference() ? member.getTargetReflectionDeep() : member;
  return project.getSymbolIdFromReflection(target)?.packagePath.replace(/^src\//, '') ?? 'an unknown file';
}

function byKindAndName(
  first: DeclarationReflection | DocumentReflection,
  second: DeclarationReflection | DocumentReflection,
): number {
  return rank(first) - rank(second) || first.name.localeCompare(second.name);
}

function rank(member: DeclarationReflection | DocumentReflection): number {
  const target = member.isReference() ? member.getTargetReflectionDeep() : member;
  const index = kinds.indexOf(target.kind);
  return index === -1 ? kinds.length : index;
}
