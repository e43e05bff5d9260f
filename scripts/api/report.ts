/** The declarations in a report of API Extractor, without comments. Tags that matter to a caller stay, such as `@deprecated`. */
export function declarationsIn(report: string): readonly string[] {
  const [, code = ''] = /```ts\n([\s\S]*?)\n```/.exec(report) ?? [];
  return code
    .replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replaceAll(/^( *\/\/) ?@public/gm, '$1')
    .replaceAll(/^( *\/\/.*?) *\(.*\)$/gm, '$1')
    .replaceAll(/^ *\/\/\n/gm, '')
    .split(/\n{2,}/)
    .map((declaration) => declaration.trim())
    .filter((declaration) => declaration !== '' && declaration !== '//');
}

/**
 * The report of an import path: what it exports, and what that names without exporting it. A declaration of the second kind is left
 * out if an earlier report has it. Adds the declarations to those that the reports have so far.
 */
export function reportOf(importPath: string, declarations: readonly string[], recorded: Set<string>): string {
  const shown = declarations.filter(
    (declaration) => isExported(declaration) || !recorded.has(withoutExport(declaration)),
  );
  for (const declaration of declarations) recorded.add(withoutExport(declaration));
  return [
    `# ${importPath}`,
    'The types of this import path. `npm run api` writes this file from the last build. What has no `export` cannot be imported from here.',
    `\`\`\`ts\n${shown.join('\n\n')}\n\`\`\`\n`,
  ].join('\n\n');
}

const exported = /^((?:\/\/.*\n)*)export (?:declare )?/;

function isExported(declaration: string): boolean {
  return exported.test(declaration);
}

function withoutExport(declaration: string): string {
  return declaration.replace(exported, '$1').replace(/^((?:\/\/.*\n)*)declare /, '$1');
}
