import {
  type Application,
  type CommentTag,
  Converter,
  type DeclarationReflection,
  type ProjectReflection,
  ReflectionKind,
} from 'typedoc';

/** Changes how TypeDoc shows errors, type parameters and values. */
export function mendComments(application: Application): void {
  application.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const classes = new Map(
      project.getReflectionsByKind(ReflectionKind.Class).flatMap((found) => {
        return found.isDeclaration() ? [[found.name, found] as const] : [];
      }),
    );
    for (const reflection of Object.values(project.reflections)) {
      if (reflection.comment === undefined) continue;
      for (const tag of reflection.comment.blockTags) nameError(tag, classes);
      reflection.comment.blockTags = withOneListOfErrors(reflection.comment.blockTags);
    }
    dropVariance(project);
    dropElidedValues(project);
  });
}

/** Makes the name of the error in `@throws {Name} when …` or `@throws Name that …` a link at the beginning of the sentence. */
function nameError(tag: CommentTag, classes: ReadonlyMap<string, DeclarationReflection>): void {
  if (tag.tag !== '@throws') return;
  const [first] = tag.content;
  const name =
    tag.typeAnnotation?.replaceAll(/[{}]/g, '') ?? /^\w*Error(?= [a-z])/.exec(first?.text ?? '')?.[0];
  if (first === undefined || name === undefined) return;
  if (tag.typeAnnotation === undefined) first.text = first.text.slice(name.length).trimStart();
  const target = classes.get(name);
  delete tag.typeAnnotation;
  const separator = /^[a-z(]/.test(first.text) ? ' ' : ': ';
  tag.content.unshift(
    target === undefined
      ? { kind: 'code', text: `\`${name}\`` }
      : { kind: 'inline-tag', tag: '@link', text: name, target },
    { kind: 'text', text: separator },
  );
}

/** Several `@throws` become one list. TypeDoc shows each under a heading of its own. */
function withOneListOfErrors(tags: readonly CommentTag[]): CommentTag[] {
  const errors = tags.filter(({ tag }) => tag === '@throws');
  const [first, ...others] = errors;
  if (first === undefined || others.length === 0) return [...tags];
  first.content = errors.flatMap(({ content }) => [{ kind: 'text', text: '\n- ' } as const, ...content]);
  return tags.filter((tag) => !others.includes(tag));
}

/** Hides `in` and `out` of type parameters, which only the compiler needs. */
function dropVariance(project: ProjectReflection): void {
  for (const parameter of project.getReflectionsByKind(ReflectionKind.TypeParameter)) {
    if (parameter.isTypeParameter()) delete parameter.varianceModifier;
  }
}

/** Hides `= ...`, which says nothing of a value. */
function dropElidedValues(project: ProjectReflection): void {
  for (const reflection of project.getReflectionsByKind(ReflectionKind.All)) {
    const hasValue = reflection.isDeclaration() || reflection.isParameter();
    if (hasValue && reflection.defaultValue === '...') delete reflection.defaultValue;
  }
}
