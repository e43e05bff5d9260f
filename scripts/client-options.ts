import ts from 'typescript';

const tablePattern = /(?<=<!-- options -->\n)[\s\S]*(?=<!-- \/options -->)/;

/** Writes the table of all options into the guide of the client, from the comments of `ClientOptions` in its source. */
export function withOptionTable(guide: string, source: string): string {
  if (!tablePattern.test(guide)) throw new Error('The guide has no place for the table of the options.');
  const rows = optionsOf(source).map(([name, comment]) => {
    const [, meaning = comment, initial = ''] = /^(.*?)(?: Default: (.*?)\.?)?$/.exec(comment) ?? [];
    const [first] = meaning.split(/(?<=\.) (?=[A-Z`])/);
    return `| \`${name}\` | ${first} | ${initial} |\n`;
  });
  return guide.replace(
    tablePattern,
    () => `| option | what it does | default |\n|---|---|---|\n${rows.join('')}`,
  );
}

/** The name and the comment of each option. */
function optionsOf(source: string): readonly (readonly [string, string])[] {
  const file = ts.createSourceFile('configuration.ts', source, ts.ScriptTarget.Latest, true);
  const options = file.statements.find(
    (statement): statement is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(statement) && statement.name.text === 'ClientOptions',
  );
  if (options === undefined) throw new Error('The source has no ClientOptions.');
  return options.members.map((member) => {
    const [comment] = ts.getJSDocCommentsAndTags(member);
    const text = comment && ts.isJSDoc(comment) ? ts.getTextOfJSDocComment(comment.comment) : undefined;
    if (member.name === undefined || text === undefined)
      throw new Error(`An option has no comment: ${member.getText()}`);
    return [member.name.getText(), text.replaceAll('\n', ' ')] as const;
  });
}
